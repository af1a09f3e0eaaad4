import type { AgentSettings } from "../../config/schema.js";
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

/** Codes in the order of these names. */
const named = (names: string, codes: string) => {
  const kinds = names.split(" ");
  return Object.fromEntries(codes.split(" ").map((code, at) => [kinds[at] ?? "", code]));
};
const groundsOf = (codes: string) => named("added removed addedWord removedWord chosen hit", codes);
const kindsOf = (codes: string) => ({
  ...styles,
  ...named("faint good bad note accent heading code link keyword string number comment name", codes),
});

/** `ansi` has the 16 colours that each terminal lets its person choose; `mono` none, and `plain` no style either. */
export const themes: Readonly<Record<ThemeName, Theme>> = {
  ansi: {
    kinds: kindsOf("2 32 31 33 36 1;36 36 4;34 35 32 33 2 34"),
    grounds: { ...reversed, added: "32", removed: "31", addedWord: "32;7", removedWord: "31;7" },
  },
  dark: {
    kinds: kindsOf(
      "38;5;245 38;5;114 38;5;210 38;5;222 38;5;117 1;38;5;117 38;5;180 4;38;5;111 38;5;176 38;5;150 38;5;215 38;5;244 38;5;117",
    ),
    grounds: groundsOf("48;5;22 48;5;52 48;5;28 48;5;88 48;5;238 48;5;58"),
  },
  light: {
    kinds: kindsOf(
      "38;5;243 38;5;28 38;5;124 38;5;94 38;5;25 1;38;5;25 38;5;94 4;38;5;25 38;5;90 38;5;22 38;5;130 38;5;244 38;5;25",
    ),
    grounds: groundsOf("48;5;194 48;5;224 48;5;157 48;5;217 48;5;253 48;5;229"),
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
