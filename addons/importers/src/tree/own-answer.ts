import { type Envelope, type EnvelopeFile, parseEnvelope } from "@holdfast/core/conversation/import";
import type { Digest, ShownChars, ShownText } from "@holdfast/core/conversation/values";
import { isJsonObject, type JsonObject, type JsonValue } from "@holdfast/core/conversation/values";
import { countLines, quoteForDisplay } from "@holdfast/core/text";
import { objectOf, textOf } from "../lines/fields.js";

/** What one answer of a tool of ours tells, as far as its own words prove it. */
interface OwnAnswer {
  readonly states: readonly AnsweredState[];
}

/** A state of a file that an answer names. */
export interface AnsweredState {
  readonly path: string;
  /** `null`: there is no such file. */
  readonly sha256: string | null;
  readonly version: number;
  /** How many lines there are, where it says so. */
  readonly lines?: number;
  /** The answer says that the call made it. */
  readonly applied: boolean;
  /** Where lines of it stand in the answer. */
  readonly shows: readonly ShownText[];
}

/**
 * Reads an answer of a tool of ours in the text form or in JSON. It is read whole or not at all: a frame that
 * was cut, a count that is wrong or a text that is not the state's, and nothing of it is believed.
 *
 * @param digest proves the texts of whole files; without one only their lines are counted.
 */
export function readOwnAnswer(text: string, digest: Digest | undefined): OwnAnswer | undefined {
  const isWrapped = text.startsWith(geminiStart) && text.endsWith(geminiEnd);
  const lead = isWrapped ? geminiStart : (codexLead.exec(text)?.[0] ?? "");
  const said = text.slice(lead.length, isWrapped ? -geminiEnd.length : undefined);
  const envelope = parseEnvelope(said);
  if (envelope !== undefined) return shifted(readEnvelope(envelope, said, digest), lead.length);
  const json = parsed(said);
  return json === undefined ? undefined : readJson(json);
}

/** What Codex writes before the answers of an MCP server. */
const codexLead = /^Wall time: [\d.]+ seconds\nOutput:\n/;

/** gemini-cli puts the answers of MCP servers between these. */
const geminiStart = "<untrusted_context>\n";
const geminiEnd = "\n</untrusted_context>";

function shifted(answer: OwnAnswer | undefined, by: number): OwnAnswer | undefined {
  if (answer === undefined || by === 0) return answer;
  const moved = (shown: ShownText) => ({ ...shown, start: shown.start + by, end: shown.end + by });
  return { states: answer.states.map((state) => ({ ...state, shows: state.shows.map(moved) })) };
}

function readEnvelope(envelope: Envelope, text: string, digest: Digest | undefined): OwnAnswer | undefined {
  const { files, status, details } = envelope;
  if (!endsWell(text, details, files.length > 0)) return undefined;
  const states = files.map((file) => {
    const shows = showsOf(file, digest);
    if (shows === undefined) return undefined;
    const { path, sha256, version, attributes } = file;
    const total = attributes.get("total_lines");
    const lines = total === undefined ? {} : { lines: Number(total) };
    const applied = status?.success === true && status.code === "applied" && appliesTo(path, envelope);
    return { path, sha256, version, ...lines, applied, shows };
  });
  const told = states.filter((state) => state !== undefined);
  return told.length === states.length ? { states: told } : undefined;
}

/** What follows the frames stands below an empty line, or there is nothing. */
function endsWell(text: string, details: string, hasFrames: boolean): boolean {
  if (!hasFrames || details === "") return true;
  return text.slice(0, text.length - details.length).endsWith("\n\n");
}

/** Of several files each has its own line, with its own code. */
function appliesTo(path: string, { files, details }: Envelope): boolean {
  if (files.length === 1) return true;
  const lead = `${quoteForDisplay(path)} (`;
  const line = details.split("\n").find((one) => one.startsWith(lead));
  return line === undefined || line.startsWith(`${lead}applied)`);
}

/** Where the lines of a frame stand; undefined where it is no frame of ours, or its text is not the state's. */
function showsOf(file: EnvelopeFile, digest: Digest | undefined): readonly ShownText[] | undefined {
  const { path, sha256, version, content, attributes, windows, start } = file;
  if (path === "" || version < 0 || !hasKnownAttributes(file)) return undefined;
  if (sha256 === null) return content === null && windows.length === 0 ? [] : undefined;
  const total = Number(attributes.get("total_lines") ?? Number.NaN);
  if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
  const span = (from: number, to: number, at: number, length: number): readonly ShownText[] =>
    to < from ? [] : [{ path, sha256, from, to, start: at, end: at + length }];
  if (content === null) {
    const fit = windows.every((one) => fits(one, one.text, total) && one.from <= one.to);
    return fit
      ? windows.flatMap(({ from, to, start: at, text }) => span(from, to, at, text.length))
      : undefined;
  }
  if (windows.length > 0 || Number.isNaN(total)) return undefined;
  const chars = charsOf(attributes);
  const lines = file.lines ?? { from: 1, to: total };
  if (chars === null || !fits(lines, content, total)) return undefined;
  if (file.lines === undefined && !isProved(file, content, digest)) return undefined;
  const spans = span(lines.from, lines.to, start, content.length);
  return chars === undefined ? spans : spans.map((one) => ({ ...one, chars }));
}

function fits(
  { from, to }: { readonly from: number; readonly to: number },
  text: string,
  total: number,
): boolean {
  const isSpan = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 1 && to <= total;
  return isSpan && countLines(text) === to - from + 1;
}

/** A text of UTF-8 that is all of a file has the hash that its header names. */
function isProved(
  { sha256, attributes }: EnvelopeFile,
  content: string,
  digest: Digest | undefined,
): boolean {
  const isUtf8 = !attributes.has("encoding") && !attributes.has("bytes_not_utf8");
  if (digest === undefined || !isUtf8 || !content.isWellFormed()) return true;
  const mark = attributes.get("bom") === "yes" ? "\ufeff" : "";
  return digest(encoder.encode(mark + content)) === sha256;
}

const encoder = new TextEncoder();

/** `null` where what it says is no part of one line. */
function charsOf(attributes: EnvelopeFile["attributes"]): ShownChars | null | undefined {
  const written = attributes.get("chars");
  if (written === undefined) return undefined;
  const [, from, to, of] = /^(\d+)-(\d+) of (\d+)$/.exec(written)?.map(Number) ?? [];
  if (from === undefined || to === undefined || of === undefined) return null;
  return from <= to && to <= of ? { from, to, of } : null;
}

const knownAttributes: ReadonlySet<string> = new Set([
  ...["path", "version", "sha256", "exists", "total_lines", "encoding", "encoding_guessed", "bom", "endings"],
  ...["bytes_not_utf8", "final_newline", "lines", "chars", "shown", "end"],
]);

function hasKnownAttributes({ attributes, sha256 }: EnvelopeFile): boolean {
  if ([...attributes.keys()].some((name) => !knownAttributes.has(name))) return false;
  return attributes.has("sha256") && (sha256 === null) === (attributes.get("exists") === "no");
}

/** In JSON no line of a file stands as it is: it tells of states and shows none. */
function readJson(json: JsonValue): OwnAnswer | undefined {
  const answers = isList(json) ? json : [json];
  const states = answers.map((answer) => (isJsonObject(answer) ? statesOf(answer) : undefined));
  const told = states.filter((state) => state !== undefined);
  return told.length === states.length ? { states: told.flat() } : undefined;
}

function statesOf(answer: JsonObject): readonly AnsweredState[] | undefined {
  const { success, code, changes } = answer;
  const applied = success === true && code === "applied";
  if (isList(changes)) {
    // No answer of ours has a change set inside another.
    const all = changes.map((one) =>
      isJsonObject(one) && one.changes === undefined ? statesOf(one) : undefined,
    );
    const told = all.filter((state) => state !== undefined);
    return told.length === all.length ? told.flat() : undefined;
  }
  if (success === undefined) return stateOf(answer, false);
  if (typeof success !== "boolean" || typeof code !== "string") return undefined;
  const latest = objectOf(answer, "latest_file_state");
  return latest === undefined ? [] : stateOf(latest, applied);
}

function stateOf(state: JsonObject, applied: boolean): readonly AnsweredState[] | undefined {
  const path = textOf(state, "file_path");
  const { version, sha256, lines: window } = state;
  if (path === undefined || typeof version !== "number" || !Number.isSafeInteger(version)) return undefined;
  if (sha256 !== null && (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256))) return undefined;
  const total = isJsonObject(window) && typeof window.total === "number" ? { lines: window.total } : {};
  return [{ path, sha256, version, ...total, applied, shows: [] }];
}

function parsed(text: string): JsonValue | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    // It was JSON when it was written; what matters of it is looked at field by field.
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
