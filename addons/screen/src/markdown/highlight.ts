/// <reference path="./highlight-js.d.ts" />
import type { Highlighter, Span, SpanKind } from "@holdfast/agent/shown";
import type { Emitter } from "highlight.js/lib/core";

/** Loads the grammars of some common languages; they are large, so that it is done when the first code is shown. */
export async function loadHighlighter(): Promise<Highlighter> {
  const [{ default: core }, ...loaded] = await Promise.all([
    import("highlight.js/lib/core"),
    ...Object.values(grammars).map((load) => load()),
  ]);
  const engine = core.newInstance();
  engine.configure({ __emitter: LineEmitter });
  for (const [at, name] of Object.keys(grammars).entries()) {
    const grammar = loaded[at]?.default;
    if (grammar !== undefined) engine.registerLanguage(name, grammar);
  }
  return (code, language) => {
    if (code.length > mostChars || engine.getLanguage(language) === undefined) return undefined;
    const found = engine.highlight(code, { language, ignoreIllegals: true });
    const { _emitter: emitter, errorRaised } = found;
    return emitter instanceof LineEmitter && errorRaised === undefined ? emitter.lines : undefined;
  };
}

/** Longer code is shown without colours: it would hold up what is being typed. */
const mostChars = 100_000;

type LoadGrammar = () => Promise<{ readonly default: unknown }>;

/** What a grammar finds, as lines of spans: the library itself would make HTML of it. */
class LineEmitter implements Emitter {
  readonly lines: Span[][] = [[]];
  readonly #kinds: SpanKind[] = [];

  startScope(name: string): void {
    this.#kinds.push(kinds[name.split(".")[0] ?? ""] ?? this.#kinds.at(-1) ?? "code");
  }

  endScope(): void {
    this.#kinds.pop();
  }

  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  addText(text: string): void {
    this.#add(text, this.#kinds.at(-1) ?? "code");
  }

  __addSublanguage(emitter: Emitter): void {
    if (!(emitter instanceof LineEmitter)) return;
    for (const [at, line] of emitter.lines.entries()) {
      if (at > 0) this.lines.push([]);
      for (const { text, kind } of line) this.#add(text, kind);
    }
  }

  finalize(): void {}

  toHTML(): string {
    return "";
  }

  #add(text: string, kind: SpanKind): void {
    for (const [at, part] of text.split("\n").entries()) {
      if (at > 0) this.lines.push([]);
      if (part !== "") this.lines.at(-1)?.push({ kind, text: part });
    }
  }
}

const kinds: Readonly<Record<string, SpanKind>> = {
  keyword: "keyword",
  built_in: "keyword",
  literal: "number",
  number: "number",
  symbol: "number",
  string: "string",
  regexp: "string",
  subst: "code",
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

const grammars: Readonly<Record<string, LoadGrammar>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  go: () => import("highlight.js/lib/languages/go"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  php: () => import("highlight.js/lib/languages/php"),
  python: () => import("highlight.js/lib/languages/python"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scss: () => import("highlight.js/lib/languages/scss"),
  shell: () => import("highlight.js/lib/languages/shell"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};
