import { countLines } from "../../text/index.js";
import type { PlannedWrite } from "../access/change.js";
import type { Current } from "../access/current.js";
import type { Session } from "../access/session.js";
import { decodedText } from "./plans.js";

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
