import { splitLines } from "../../text/index.js";
import { decodeFile } from "../access/file-text.js";
import { plainPath } from "../access/plain-path.js";
import type { Session } from "../access/session.js";
import { inside } from "../access/visit.js";
import { isRefusal, type Refusal, refuse } from "../values/refusal.js";
import type { ChangeRequest } from "../values/requests.js";

/**
 * Refuses paths that are not written plainly, and new text that is an answer of ours: it begins as one and has the hash of
 * a state that is kept here, or its lines have numbers before them under which the file has these very lines, or which the edit names.
 */
export async function refuseAsWritten(
  session: Session,
  request: ChangeRequest,
): Promise<Refusal | undefined> {
  if (request.kind === "undo" || request.kind === "restore") return undefined;
  for (const { path, text, named } of writtenIn(request)) {
    const plain = text === undefined ? await plainPath(session, path) : undefined;
    if (plain?.kind === "refusal") return plain;
    const [, sha256] = answer.exec(text ?? "") ?? [];
    const isAnswer = sha256 !== undefined && (await session.ports.blobs.has(sha256));
    if (isAnswer || (await isNumbered(session, path, text ?? "", named))) {
      const what = isAnswer
        ? "is an answer of these tools with its header"
        : "has line numbers before its lines";
      return refuse("invalid_arguments", `The new text ${what}: send only the lines. Nothing was written.`);
    }
  }
  return undefined;
}

interface WrittenPart {
  readonly path: string;
  readonly text?: string;
  /** The first line that the edit names by its number. */
  readonly named?: number;
}

/** The paths in a request, and the new texts, each with its path; of a diff the added lines. */
function writtenIn(part: object, path = ""): readonly WrittenPart[] {
  if (part instanceof Uint8Array || ("content" in part && Object(part.content).kind === "state")) return [];
  const own = "path" in part && typeof part.path === "string" ? part.path : path;
  return Object.entries(part).flatMap(([key, value]: [string, unknown]) => {
    if (typeof value === "object" && value !== null) return writtenIn(value, own);
    if (typeof value !== "string") return [];
    if (key === "path" || key === "renameTo") return { path: value };
    if (key === "diff") return { path: own, text: value.replace(/^(?:\+(?!\+\+ )|.*\n?)/gm, "") };
    const named = "from" in part ? Number(part.from) : "afterLine" in part ? Number(part.afterLine) + 1 : -1;
    return newTexts.has(key) ? { path: own, text: value, named } : [];
  });
}

const newTexts: ReadonlySet<string> = new Set(["content", "text", "newString", "newContent"]);
/** Whether these are mostly lines of the file behind their own numbers, or lines behind the numbers that the edit names. */
async function isNumbered(session: Session, path: string, text: string, named = -1): Promise<boolean> {
  if (!/^ *\d+[:|\t→-]/.test(text)) return false;
  const rows = text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => /^ *(\d+)(?:[:|-] ?|\t|→)(.*)$/.exec(line) ?? []);
  const first = Number(rows[0]?.[1]);
  if (rows.some(([, number], at) => Number(number) !== first + at)) return false;
  const read = await inside(session, path, (target) => target.read(session.limits.fullReadBytes));
  const decoded = isRefusal(read) ? read : decodeFile(read.bytes, session.ports.codec);
  if (isRefusal(decoded)) return false;
  const lines = splitLines(decoded.text).contents;
  // A file may have such numbers itself, there or right above.
  if (first === named)
    return ![-1, ...rows.keys()].some(
      (at) => Number.parseInt(lines[first + at - 1] ?? "", 10) === first + at,
    );
  const same = rows.filter(
    ([, number, line = ""]) => line.trim() !== "" && lines[Number(number) - 1] === line,
  );
  return same.length >= 2 && same.length * 2 >= rows.length;
}

const answer =
  /^\n*(?:<(?:file|lines)\b|(?:OK|FAILED) \([a-z_]+\): |\{\s*"(?:file_path|success)":|".*", version \d+, )[\s\S]{0,2000}?\bsha256(?:"?[=:] ?"| )([0-9a-f]{64})/;
