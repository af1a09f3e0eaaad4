import type { Child } from "lowlight";
import type { Line, Span, SpanKind } from "../spans.js";

/** Colours code: a line each; undefined of a language that it does not know. */
export type Highlighter = (code: string, language: string) => readonly Line[] | undefined;

/** Loads the grammars of some forty languages; half a megabyte, so that it is done when the first code is shown. */
export async function loadHighlighter(): Promise<Highlighter> {
  const { common, createLowlight: create } = await import("lowlight");
  const lowlight = create(common);
  return (code, language) => {
    if (language === "" || !lowlight.registered(language) || code.length > mostChars) return undefined;
    const lines: Span[][] = [[]];
    for (const child of lowlight.highlight(language, code).children) addTo(lines, child, "plain");
    return lines;
  };
}

/** Longer code is shown without colours: it would hold up what is being typed. */
const mostChars = 100_000;

function addTo(lines: Span[][], child: Child, around: SpanKind): void {
  if (child.type === "text") {
    for (const [at, text] of child.value.split("\n").entries()) {
      if (at > 0) lines.push([]);
      if (text !== "") lines.at(-1)?.push({ kind: around, text });
    }
    return;
  }
  if (child.type !== "element") return;
  const names = child.properties.className;
  const [scope = ""] = Array.isArray(names) ? names.map(String) : [];
  const kind = kinds[scope.replace(/^hljs-/u, "")] ?? around;
  for (const one of child.children) addTo(lines, one, kind);
}

const kinds: Readonly<Record<string, SpanKind>> = {
  keyword: "keyword",
  built_in: "keyword",
  literal: "number",
  number: "number",
  symbol: "number",
  string: "string",
  regexp: "string",
  subst: "plain",
  comment: "comment",
  quote: "comment",
  doctag: "comment",
  meta: "comment",
  title: "name",
  name: "name",
  attr: "name",
  attribute: "name",
  type: "name",
  section: "heading",
  addition: "good",
  deletion: "bad",
};
