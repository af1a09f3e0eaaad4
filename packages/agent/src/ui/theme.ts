import type { AgentSettings } from "../config/schema.js";
import type { Ground, Line, SpanKind } from "./spans.js";

/** The colours of a terminal's text: parameters of SGR, such as `1;38;5;75`; an empty one leaves the text as it is. */
export interface Theme {
  readonly kinds: Readonly<Partial<Record<SpanKind, string>>>;
  readonly grounds: Readonly<Partial<Record<Ground, string>>>;
}

/** The name of a theme, as the settings have it. */
type ThemeName = NonNullable<NonNullable<AgentSettings["ui"]>["theme"]>;

/** The line with its colours. What it says must be safe to write: see `fitted`. Pure. */
export function painted(line: Line, theme: Theme): string {
  let text = "";
  for (const span of line) {
    const codes = [theme.kinds[span.kind], span.ground && theme.grounds[span.ground]].filter(Boolean);
    text +=
      codes.length === 0 || span.text === "" ? span.text : `\u001b[${codes.join(";")}m${span.text}\u001b[0m`;
  }
  return text;
}

const styles = { heading: "1", strong: "1", emphasis: "3", struck: "9" } as const;
const reversed = { chosen: "7", hit: "4" } as const;

/** `ansi` has the 16 colours that each terminal lets its person choose; `mono` none, and `plain` no style either. */
export const themes: Readonly<Record<ThemeName, Theme>> = {
  ansi: {
    kinds: {
      ...styles,
      faint: "2",
      good: "32",
      bad: "31",
      note: "33",
      accent: "36",
      heading: "1;36",
      code: "36",
      link: "4;34",
      keyword: "35",
      string: "32",
      number: "33",
      comment: "2",
      name: "34",
    },
    grounds: { ...reversed, added: "32", removed: "31", addedWord: "32;7", removedWord: "31;7" },
  },
  dark: {
    kinds: {
      ...styles,
      faint: "38;5;245",
      good: "38;5;114",
      bad: "38;5;210",
      note: "38;5;222",
      accent: "38;5;117",
      heading: "1;38;5;117",
      code: "38;5;180",
      link: "4;38;5;111",
      keyword: "38;5;176",
      string: "38;5;150",
      number: "38;5;215",
      comment: "38;5;244",
      name: "38;5;117",
    },
    grounds: {
      added: "48;5;22",
      removed: "48;5;52",
      addedWord: "48;5;28",
      removedWord: "48;5;88",
      chosen: "48;5;238",
      hit: "48;5;58",
    },
  },
  light: {
    kinds: {
      ...styles,
      faint: "38;5;243",
      good: "38;5;28",
      bad: "38;5;124",
      note: "38;5;94",
      accent: "38;5;25",
      heading: "1;38;5;25",
      code: "38;5;94",
      link: "4;38;5;25",
      keyword: "38;5;90",
      string: "38;5;22",
      number: "38;5;130",
      comment: "38;5;244",
      name: "38;5;25",
    },
    grounds: {
      added: "48;5;194",
      removed: "48;5;224",
      addedWord: "48;5;157",
      removedWord: "48;5;217",
      chosen: "48;5;253",
      hit: "48;5;229",
    },
  },
  contrast: {
    kinds: {
      ...styles,
      good: "1;92",
      bad: "1;91",
      note: "1;93",
      accent: "1;96",
      heading: "1;4",
      code: "96",
      link: "4;96",
      keyword: "1",
      string: "92",
      number: "93",
      name: "96",
    },
    grounds: { ...reversed, added: "30;102", removed: "30;101", addedWord: "1;4", removedWord: "1;4" },
  },
  mono: {
    kinds: { ...styles, faint: "2", bad: "1", note: "1", accent: "1", link: "4", keyword: "1", comment: "2" },
    grounds: { ...reversed, addedWord: "7", removedWord: "7" },
  },
  plain: { kinds: {}, grounds: {} },
};
