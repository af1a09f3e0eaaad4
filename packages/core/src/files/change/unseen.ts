import { clip, countLines, LineFinder } from "../../text/index.js";
import type { Subject } from "../access/answers.js";
import type { PlannedWrite } from "../access/change.js";
import { decodeFile, type FileText, textFacts } from "../access/file-text.js";
import { type Current, type CurrentFile, textOfState } from "../access/kept-states.js";
import type { Session } from "../access/session.js";
import { joinSpans, type LineSpan, outsideSpans } from "../lines/line-spans.js";
import type { KnownState } from "../values/knowledge.js";
import type { QuotedLines } from "../values/outcomes.js";
import { isRefusal, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import { decodedText } from "./plans.js";

/** A change that may not be made, since lines were not shown. */
interface Unseen {
  readonly refusal: Refusal<"unseen_lines">;
  /** Lines that the refusal shows. */
  readonly quoted?: readonly QuotedLines[];
}

/**
 * Whole to replace whole: a caller that replaces all of a file must have been shown every line of it, or have
 * written it, before this call. The hash in the header of a window does not license it.
 */
export function findUnshown(subject: Subject, current: Current): Unseen | undefined {
  if (subject.call.session.guards.wholeReplacement === "hash") return undefined;
  const lines = unshownLines(subject, current);
  if (lines === undefined) return undefined;
  return { refusal: refuseIn("unseen_lines", wholeUnseen, { lines }) };
}

const wholeUnseen =
  "The call replaces the whole file, and lines $lines of it were not shown in this session. " +
  "[{?script}What a script reads counts when the script is over: print the text first; write in a later call|" +
  "Read them first, then repeat the call][; or change only a part: {edit,patch,append,section:need} less]. Nothing was written.";

/** The lines that the caller did not know when it wrote the call, in words; undefined for none. */
export function unshownLines(subject: Subject, current: Current): string | undefined {
  if (current.kind === "absent") return undefined;
  const { call, file, encoding } = subject;
  const text = textOfState(call.session, current, encoding);
  // Of a file that is no text, no line can be shown.
  if (isRefusal(text)) return undefined;
  const total = textFacts(text, current.bytes.length).totalLines;
  if (total === 0) return undefined;
  const known = call.knowledge.find(file, current.sha256);
  const lines =
    known !== undefined && isShownAs(text, known.encoding, subject, current) ? known.beforeCall : [];
  const missing = outsideSpans({ from: 1, to: total }, lines);
  return missing.length === 0 ? undefined : namesOf(missing);
}

/**
 * With a strict view: the lines that a change touches and that were not shown of the state that it changes.
 * Where lines are only added, a line beside them must have been shown.
 */
export function findUnseen(
  { call, file }: Subject,
  plan: PlannedWrite,
  current: Current,
  isStrict: boolean = call.session.guards.strictView,
): Unseen | undefined {
  const { beforeText, changes } = plan.report;
  if (!isStrict || current.kind === "absent" || plan.bytes === null) return undefined;
  if (beforeText === null || plan.text === undefined) return undefined;
  const known: KnownState | undefined = call.knowledge.find(file, current.sha256);
  const lines = joinSpans(known?.lines ?? []);
  const old = new LineFinder(beforeText);
  let total: number | undefined;
  const unseen: LineSpan[] = [];
  for (const { at, removed } of changes) {
    if (removed > 0) unseen.push(...outsideSpans({ from: at, to: at + removed - 1 }, lines));
    else {
      total ??= countLines(beforeText);
      unseen.push(...besideInsertion(at - 1, total, lines));
    }
  }
  const state = plan.madeFor === undefined ? "this state" : "the present state, which is not the call's base";
  return unseen.length === 0 ? undefined : show(old, unseen, state);
}

function besideInsertion(at: number, total: number, seen: readonly LineSpan[]): readonly LineSpan[] {
  const neighbours = [at, at + 1].filter((line) => line >= 1 && line <= total);
  const isSeen = (line: number) => outsideSpans({ from: line, to: line }, seen).length === 0;
  if (neighbours.length === 0 || neighbours.some(isSeen)) return [];
  return [{ from: neighbours[0] ?? 1, to: neighbours.at(-1) ?? 1 }];
}

function show(old: LineFinder, unseen: readonly LineSpan[], state: string): Unseen {
  const { spans, texts } = cutToShow(old, unseen);
  const head = `The change touches lines that this session was not shown of ${state}: ${namesOf(unseen)}.`;
  const isWhole = spans.length === unseen.length && spans.every(({ to }, at) => to === unseen[at]?.to);
  const next = isWhole
    ? "They follow; if the change is still right, repeat the call. Nothing was written."
    : "The first of them follow; read the others. Nothing was written.";
  let message = `${head} ${next}`;
  const quoted = spans.map(({ from, to }, at): QuotedLines => {
    message += `\nlines ${from}-${to}:\n`;
    const start = message.length;
    message += texts[at] ?? "";
    return { from, to, start };
  });
  return { refusal: refuse("unseen_lines", message), quoted };
}

/** As many of the lines as a message may quote. */
function cutToShow(old: LineFinder, unseen: readonly LineSpan[]) {
  const spans: LineSpan[] = [];
  const texts: string[] = [];
  let units = 0;
  for (const { from, to: end } of unseen) {
    const to = Math.min(end, from + mostLines - 1);
    const text = old.lines(from, to);
    units += text.length;
    if (units > mostUnits || spans.length === mostSpans) break;
    spans.push({ from, to });
    texts.push(text);
  }
  return { spans, texts };
}

function namesOf(spans: readonly LineSpan[]): string {
  const names = spans.slice(0, mostSpans).map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  const more = spans.length > names.length ? `, and ${spans.length - names.length} more targets` : "";
  return clip(names.join(", "), 200) + more;
}

/** Whether the caller was shown this very text: under another encoding the same bytes are other lines. */
function isShownAs(
  text: FileText,
  shownEncoding: string | undefined,
  { call, encoding }: Subject,
  { bytes }: Pick<CurrentFile, "bytes">,
): boolean {
  if (shownEncoding === encoding) return true;
  const shown = decodeFile(bytes, call.session.ports.codec, shownEncoding);
  return !isRefusal(shown) && shown.text === text.text;
}

const mostLines = 200;
const mostSpans = 20;
const mostUnits = 16 * 1024;

/**
 * What has to be said of a file that was valid JSON, YAML, TOML or XML and is none by this change. Nothing is refused for
 * it: the next edit may be the other half.
 *
 * @returns a sentence for the end of the message, with the line of the first error; "" where there is nothing to say.
 */
export async function formatNote(
  session: Session,
  path: string,
  current: Current,
  { bytes, text }: Pick<PlannedWrite, "bytes" | "text">,
): Promise<string> {
  const format = formats.find(({ names }) => names.test(path));
  if (format === undefined || bytes === null || current.kind === "absent") return "";
  if (Math.max(bytes.length, current.bytes.length) > format.mostBytes) return "";
  const after = text ?? decodedText(session, bytes);
  const line = after === null ? undefined : await lineOfError(format, after);
  if (line === undefined) return "";
  const before = decodedText(session, current.bytes);
  const wasValid = before !== null && (await lineOfError(format, before)) === undefined;
  return wasValid ? ` Note: the file was valid ${format.name} and is not any more: see line ${line}.` : "";
}

interface Format {
  readonly name: string;
  readonly names: RegExp;
  /** What is longer is not looked at: some 50 ms on a slow machine. */
  readonly mostBytes: number;
  /** The 1-based line of the first error; undefined where there is none. May throw the parser's error. */
  parse(text: string): Promise<number | undefined> | undefined;
}

const formats: readonly Format[] = [
  {
    name: "JSON with comments",
    // The programs whose files these are read them so.
    names:
      /\.(jsonc|code-workspace)$|(^|\/)((\.vscode\/|tsconfig|jsconfig|tslint|api-extractor)[^/]*|(\.?devcontainer|launch|tasks|keybindings|turbo|nx|deno|biome|babel\.config|\.(babel|eslint|jshint|swc)rc))\.json$|(^|\/)\.(babel|eslint|jshint|swc)rc$/iu,
    mostBytes: 500_000,
    parse: (text) => void JSON.parse(withoutComments(text)),
  },
  {
    name: "JSON",
    names: /\.(json|webmanifest|geojson)$|(^|\/)(composer|flake|Pipfile)\.lock$/iu,
    mostBytes: 2_000_000,
    parse: (text) => void JSON.parse(text),
  },
  {
    name: "notebook",
    names: /\.ipynb$/iu,
    mostBytes: 2_000_000,
    // No program opens one whose cells lack what nbformat 4 asks for.
    parse: async (text) => {
      const { cells }: { readonly cells: readonly object[] } = JSON.parse(text);
      return cells.every(isWholeCell) ? undefined : 1;
    },
  },
  {
    name: "JSON Lines",
    names: /\.(jsonl|ndjson)$/iu,
    mostBytes: 2_000_000,
    parse: async (text) => {
      let line = 0;
      try {
        for (const one of text.split("\n")) if (++line > 0 && one.trim() !== "") JSON.parse(one);
      } catch {
        return line;
      }
      return undefined;
    },
  },
  {
    name: "YAML",
    names: /\.ya?ml$/iu,
    mostBytes: 200_000,
    parse: async (text) => {
      const { parseAllDocuments } = await import("yaml");
      const documents = parseAllDocuments(text, { logLevel: "silent" });
      const [error] = "empty" in documents ? [] : documents.flatMap(({ errors }) => errors);
      return error === undefined ? undefined : (error.linePos?.[0].line ?? countLines(text));
    },
  },
  {
    name: "TOML",
    names: /\.toml$|(^|\/)(Cargo|poetry|uv|pdm)\.lock$/iu,
    mostBytes: 500_000,
    parse: async (text) => void (await import("smol-toml")).parse(text),
  },
  {
    name: "XML",
    names: /\.(xml|svg|xsd|xslt?|plist|resx|(cs|vb|fs|vcx)proj|props|targets)$/iu,
    mostBytes: 500_000,
    parse: async (text) => {
      const { SaxesParser } = (await import("saxes")).default;
      const parser = new SaxesParser();
      let line: number | undefined;
      parser.on("error", () => {
        line ??= parser.line;
      });
      parser.write(text).close();
      return line;
    },
  },
];

function isWholeCell(cell: object): boolean {
  const ofCode = "cell_type" in cell && cell.cell_type === "code" ? ["outputs", "execution_count"] : [];
  return ["cell_type", "metadata", "source", ...ofCode].every((name) => name in cell);
}

/** Comments as blanks: each line and place stays where it is. */
function withoutComments(text: string): string {
  const pattern = /("(?:\\.|[^"\\\n])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//gu;
  return text.replace(pattern, (part, quoted) => quoted ?? part.replace(/[^\n]/gu, " "));
}

async function lineOfError({ parse }: Format, text: string): Promise<number | undefined> {
  try {
    return await parse(text);
  } catch (error) {
    return lineIn(error, text);
  }
}

/** By the parser's line, or by the position in its words; the last line where it names neither. */
function lineIn(error: unknown, text: string): number {
  if (typeof error === "object" && error !== null && "line" in error && typeof error.line === "number")
    return error.line;
  const position = /position (\d+)/u.exec(error instanceof Error ? error.message : "")?.[1];
  return Math.max(1, countLines(position === undefined ? text : text.slice(0, Number(position) + 1)));
}
