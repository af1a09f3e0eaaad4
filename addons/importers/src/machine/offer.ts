import { existsSync } from "node:fs";
import type { ConversationRefusal } from "@holdfast/core/conversation/values";
import { type Refusal, refuse } from "@holdfast/core/files/values";
import type { NotRead } from "@holdfast/core/node";
import type { Pace } from "@holdfast/core/text";
import { type ForeignFacts, type ForeignFile, findForeign } from "./find-foreign.js";
import { isAgent } from "./foreign-homes.js";
import type { ReadLines, ReadText } from "./read-lines.js";

/** Where a session is read from. */
export interface SessionSource {
  /** The file, for a person. */
  readonly place: string;
  readonly read: () => Promise<ReadText | Refusal>;
}

/** A session of another program on this machine, which can be imported. */
export interface OfferedSession extends SessionSource, Omit<ForeignFacts, "kind"> {
  readonly agent: string;
  readonly modifiedMs: number;
  /** How a person names it to `holdfast sessions import`. */
  readonly reference: string;
}

/** Which sessions are looked for. */
export interface WantedSessions {
  /** Those of one program only. */
  readonly agent?: string | undefined;
  /** Whether those count that worked in this folder. */
  readonly isMeant: (cwd: string | undefined) => boolean;
  /** How many are enough, and which count to that, by the ids that they have here once they are imported. */
  readonly most: number;
  readonly counts: (importId: string) => boolean;
}

/** What there is to import. */
export interface Offer {
  readonly sessions: readonly OfferedSession[];
  /** How many files were not looked at, since so many were not asked for. */
  readonly more: number;
  readonly problems: readonly string[];
  /** All files that were found. */
  readonly places: ReadonlySet<string>;
}

/** Looks for sessions of other programs, the last changed first. */
export async function offerSessions(
  { agent, isMeant, most, counts }: WantedSessions,
  pace: Pace,
  readLines: ReadLines,
): Promise<Offer | "interrupted"> {
  const { files, problems } = await findForeign(
    agent !== undefined && isAgent(agent) ? agent : undefined,
    readLines,
  );
  const sessions: OfferedSession[] = [];
  const unread: string[] = [];
  let [looked, count] = [0, 0];
  for (const file of files) {
    if (count >= most) break;
    looked += 1;
    const facts = await lookedAt(file.describe);
    if (facts?.kind === "unreadable") unread.push(`${file.place} was not read: ${facts.why}.`);
    else if (facts?.kind === "facts" && isMeant(facts.cwd)) {
      sessions.push({ ...facts, ...file, reference: referenceTo(file, facts) });
      if (counts(facts.importId)) count += 1;
    }
    if (!(await pace({ done: looked, of: files.length }))) return "interrupted";
  }
  const places = new Set(files.map(({ place }) => place));
  return { sessions, more: files.length - looked, problems: [...problems, ...unread], places };
}

/** The session that `AGENT:ID` names; undefined where a name is of another form, or that of a file. */
export async function sessionNamed(
  name: string,
  readLines: ReadLines,
): Promise<SessionSource | ConversationRefusal | undefined> {
  const [, agent = "", id = ""] = /^([a-z]+):([\w.-]+)$/.exec(name) ?? [];
  if (!isAgent(agent) || existsSync(name)) return undefined;
  const { files, problems } = await findForeign(agent, readLines);
  const likely = files.filter(({ place }) => place.includes(id));
  const others = files.filter(({ place }) => !place.includes(id));
  for (const file of [...likely, ...others]) {
    const facts = await lookedAt(file.describe);
    if (facts?.kind === "facts" && facts.id === id) return file;
  }
  const message =
    problems[0] ??
    `There is no session ${id} of ${agent} here; without a name, \`sessions import\` lists them.`;
  return refuse("unknown_session", message);
}

/**
 * Looks at one file of many. What a mistake of ours throws at it is reported as what it is, so that the others have
 * their turn. Where no file can be opened any more, the next one fares no better: then the whole command says so.
 */
export async function lookedAt<Facts>(look: () => Promise<Facts | NotRead>): Promise<Facts | NotRead> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Error && "code" in error && /^E[MN]FILE$/.test(String(error.code))) throw error;
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return { kind: "unreadable", why: `an error of Holdfast (${said})` };
  }
}

/** By its id where that is a plain word; a hostile one would be more than a word to a shell. */
function referenceTo({ agent, place }: ForeignFile, { id }: ForeignFacts): string {
  if (/^[\w.-]{1,128}$/.test(id)) return `${agent}:${id}`;
  return `'${place.replaceAll("'", "'\\''")}'`;
}
