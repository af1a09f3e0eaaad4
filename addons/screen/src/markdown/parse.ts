import { type Line, type Span, type SpanKind, span } from "@holdfast/agent/shown";
import MarkdownIt, { type Token } from "markdown-it";
import { type Chunk, closes } from "./chunks.js";

/** A block of a Markdown text as it is shown, such as a list with code in it. */
export type MarkdownBlock = readonly BlockPart[];

/**
 * A stretch of a block; `lead` is before the lines of a table, and before those around code: code itself is copied as it is.
 * Lines of prose and code are as long as they are: the terminal breaks them.
 */
export type BlockPart =
  | { readonly kind: "lines"; readonly lines: readonly Line[] }
  | {
      readonly kind: "code";
      /** Undefined where only its end is left. */
      readonly text: string | undefined;
      readonly language: string;
      readonly lead: Line;
      /** Of code that comes in several parts, whether this is the first, and whether the last. */
      readonly begins: boolean;
      readonly ends: boolean;
    }
  | { readonly kind: "table"; readonly table: Table; readonly lead: Line };

/** A table; the first row is its header unless it goes on one that was shown. */
export interface Table {
  readonly rows: readonly (readonly Line[])[];
  readonly aligns: readonly ("left" | "right" | "center")[];
  readonly goesOn: boolean;
}

/** The parts of a chunk; none where it shows nothing. Pure. */
export function partsOf({ source, code, indent, repeatsHead }: Chunk): readonly BlockPart[] {
  const blanks = new RegExp(`^ {0,${indent}}`, "u");
  const lines = source.split("\n").map((line) => line.replace(blanks, ""));
  const lead = indent === 0 ? [] : [span(" ".repeat(indent))];
  if (code !== undefined) {
    const ends = closes(code, lines.at(-1) ?? "");
    const text = ends ? lines.slice(0, -1) : lines;
    const part = { kind: "code", language: code.language, lead, begins: false, ends } as const;
    return text.length === 0 && !ends
      ? []
      : [{ ...part, text: text.length === 0 ? undefined : text.join("\n") }];
  }
  const maker = new PartMaker(lines, repeatsHead);
  maker.add(parser.parse(lines.join("\n"), {}), lead);
  return maker.done();
}

/** A definition of a link stays a text: what refers to it may stand in another chunk. */
const parser = new MarkdownIt("default", { html: false, linkify: false }).disable("reference");

class PartMaker {
  readonly #parts: BlockPart[] = [];
  #prose: Line[] = [];
  /** Of the item whose first line is still to come. */
  #marker: Line | undefined;

  /** @param source the lines that its tokens were read from. */
  constructor(
    private readonly source: readonly string[],
    private readonly repeatsHead: boolean,
  ) {}

  done(): readonly BlockPart[] {
    this.#flush();
    return this.#parts;
  }

  /** @param lead what is before each line. */
  add(tokens: readonly Token[], lead: Line): void {
    for (let at = 0; at < tokens.length; at += 1) {
      const token = tokens[at];
      if (token === undefined) continue;
      const end = token.nesting === 1 ? closingOf(tokens, at) : at;
      this.#one(token, tokens.slice(at + 1, end), lead);
      at = end;
    }
  }

  #one(token: Token, within: readonly Token[], lead: Line): void {
    switch (token.type) {
      case "heading_open":
        this.#lines(inlineLines(within[0], "heading"), lead);
        break;
      case "paragraph_open":
        this.#lines(inlineLines(within[0]), lead);
        break;
      case "inline":
        this.#lines(inlineLines(token), lead);
        break;
      case "bullet_list_open":
        this.#list(within, lead);
        break;
      case "ordered_list_open":
        this.#list(within, lead, Number(token.attrGet("start") ?? 1));
        break;
      case "blockquote_open":
        this.add(within, [...this.#taken(lead), span("│ ", "faint")]);
        break;
      case "fence":
      case "code_block": {
        const [language = ""] = token.info.trim().split(/[\s{]/u);
        const text = token.content.replace(/\n$/u, "");
        const code = { language: language.toLowerCase(), lead: this.#taken(lead), begins: true };
        this.#part({ kind: "code", text, ...code, ends: this.#ends(token) });
        break;
      }
      case "hr":
        this.#lines([[span("─".repeat(20), "faint")]], lead);
        break;
      case "table_open":
        this.#part({
          kind: "table",
          table: tableOf(within, this.repeatsHead),
          lead: this.#taken(lead),
        });
        break;
      default:
        this.#lines(token.content === "" ? [] : token.content.split("\n").map((text) => [span(text)]), lead);
        break;
    }
  }

  /** Whether a block of code is whole: the last of its lines closes it. */
  #ends({ type, map, markup }: Token): boolean {
    const [from = 0, to = 0] = map ?? [];
    const last = this.source[to - 1]?.replace(/^[>\s]*/u, "") ?? "";
    return type === "code_block" || (to - 1 > from && closes({ sign: markup }, last));
  }

  #list(items: readonly Token[], lead: Line, start?: number): void {
    let number = start;
    for (let at = 0; at < items.length; at += 1) {
      const end = closingOf(items, at);
      const mark = number === undefined ? "• " : `${number}. `;
      const taken = this.#taken(lead);
      this.#marker = [...taken, span(mark, "accent")];
      this.add(items.slice(at + 1, end), [...taken, span(" ".repeat(mark.length))]);
      // An item without words has its marker all the same.
      if (this.#marker !== undefined) this.#lines([[]], lead);
      number = number === undefined ? undefined : number + 1;
      at = end;
    }
  }

  /** What is before a line that is made elsewhere; the marker of its item is written before. */
  #taken(lead: Line): Line {
    if (this.#marker === undefined) return lead;
    this.#lines([[]], lead);
    return lead;
  }

  #lines(lines: readonly Line[], lead: Line): void {
    for (const line of lines) {
      const before = this.#marker ?? lead;
      this.#marker = undefined;
      this.#prose.push([...before, ...withTask(line)]);
    }
  }

  #part(part: BlockPart): void {
    this.#flush();
    this.#parts.push(part);
  }

  #flush(): void {
    if (this.#prose.length > 0) this.#parts.push({ kind: "lines", lines: this.#prose });
    this.#prose = [];
  }
}

function closingOf(tokens: readonly Token[], at: number): number {
  let depth = 0;
  for (let end = at; end < tokens.length; end += 1) {
    depth += tokens[end]?.nesting ?? 0;
    if (depth === 0) return end;
  }
  return tokens.length;
}

/** The box of a task instead of its brackets. */
function withTask(line: Line): Line {
  const [first, ...rest] = line;
  const [, box, text] = /^\[([ xX])\] (.*)$/su.exec(first?.text ?? "") ?? [];
  if (first === undefined || box === undefined) return line;
  return [span(box === " " ? "☐ " : "☑ ", "accent"), { ...first, text: text ?? "" }, ...rest];
}

/** The words of a token, a line for each line of the source. */
function inlineLines(token: Token | undefined, base: SpanKind = "plain"): readonly Line[] {
  const lines: Span[][] = [[]];
  const kinds: SpanKind[] = [base];
  const links: string[] = [];
  const put = (text: string, kind = kinds.at(-1) ?? base) => {
    if (text !== "") lines.at(-1)?.push(span(text, kind));
  };
  for (const child of token?.children ?? []) {
    switch (child.type) {
      case "softbreak":
      case "hardbreak":
        lines.push([]);
        break;
      case "code_inline":
        put(child.content, "code");
        break;
      case "image":
        put(`[image: ${child.content}]`, "link");
        put(` (${child.attrGet("src") ?? ""})`, "faint");
        break;
      case "link_open":
        links.push(String(child.attrGet("href") ?? ""));
        kinds.push("link");
        break;
      case "link_close": {
        kinds.pop();
        const address = links.pop() ?? "";
        const shown = lines.flat().at(-1)?.text;
        if (address !== shown && address !== "") put(` (${address})`, "faint");
        break;
      }
      default:
        if (child.nesting === 1) kinds.push(kindOf(child.type, kinds.at(-1) ?? base));
        else if (child.nesting === -1) kinds.pop();
        else put(child.content);
    }
  }
  return lines;
}

function kindOf(type: string, around: SpanKind): SpanKind {
  if (type === "strong_open") return "strong";
  if (type === "em_open") return around === "strong" ? "strong" : "emphasis";
  return type === "s_open" ? "struck" : around;
}

function tableOf(tokens: readonly Token[], goesOn: boolean): Table {
  const rows: (readonly Line[])[] = [];
  const aligns: Table["aligns"][number][] = [];
  let row: Line[] = [];
  for (const [at, { type }] of tokens.entries()) {
    if (type === "tr_open") row = [];
    if (type === "tr_close") rows.push(row);
    if (type !== "th_open" && type !== "td_open") continue;
    row.push(inlineLines(tokens[at + 1], type === "th_open" ? "strong" : "plain").flat());
    const style = String(tokens[at]?.attrGet("style") ?? "");
    if (type === "th_open")
      aligns.push(style.includes("right") ? "right" : style.includes("center") ? "center" : "left");
  }
  return { rows: goesOn ? rows.slice(1) : rows, aligns, goesOn };
}
