import type { ConversationRefusal, SessionStore } from "@holdfast/core/conversation";
import { isRefusal } from "@holdfast/core/files";
import { cappedLines, escapeForPeople } from "@holdfast/core/text";
import type { ForeignFacts, ForeignFile, Importers } from "../addons.js";
import { counted, isoTime, localTime, readableSize } from "../answers/amounts.js";
import { isWithin } from "../answers/choose-roots.js";
import { jsonLine } from "../answers/one-answer.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import { atPersonsPace } from "../shell/long-work.js";
import type { Paint } from "../shell/terminal.js";
import { lookedAt } from "./one-file.js";
import { interrupted } from "./open-store.js";

/** A session of another program on this machine. */
interface OfferedSession extends ForeignFacts {
  readonly file: ForeignFile;
  /** How a person names it to `holdfast sessions import`. */
  readonly reference: string;
  readonly isImported: boolean;
}

/** What there is to import, or where looking for it ended. */
interface Offer {
  readonly sessions: readonly OfferedSession[];
  /** How many files were not looked at, since so many were not asked for. */
  readonly more: number;
  readonly problems: readonly string[];
  /** All files that were found. */
  readonly places: ReadonlySet<string>;
}

/** Where sessions come from, and where they go. */
export interface ImportPlaces {
  readonly store: SessionStore;
  readonly importers: Importers;
}

/**
 * What `--from` and `--project` mean.
 *
 * @param most how many are looked for: of all, or of those that are `"new"` here.
 */
export async function offerSessions(
  call: Invocation,
  { store, importers }: ImportPlaces,
  most: number,
  among: "all" | "new",
): Promise<Offer | ConversationRefusal | "interrupted"> {
  const { from, project } = call.flags;
  const { agents } = importers;
  if (from !== undefined && !agents.includes(from)) return call.misuse(`--from takes ${agents.join(", ")}`);
  const stored = await store.list();
  if (isRefusal(stored)) return stored;
  const ids = new Set(stored.map(({ id }) => id));
  const { files, problems } = await importers.find(from);
  const sessions: OfferedSession[] = [];
  const unread: string[] = [];
  const isMeant = ({ cwd }: ForeignFacts) =>
    typeof project !== "string" || (cwd !== undefined && isWithin(cwd, project));
  let looked = 0;
  let count = 0;
  const done = await atPersonsPace(call, { doing: "Looking" }, async (pace) => {
    for (const file of files) {
      if (count >= most) break;
      looked += 1;
      const facts = await lookedAt(async () => file.describe());
      if (facts?.kind === "unreadable") unread.push(`${file.place} was not read: ${facts.why}.`);
      else if (facts?.kind === "facts" && isMeant(facts)) {
        const isImported = ids.has(facts.importId);
        sessions.push({ ...facts, file, reference: referenceTo(file, facts), isImported });
        if (among === "all" || !isImported) count += 1;
      }
      if (!(await pace({ done: looked, of: files.length }))) return "interrupted";
    }
    return "done";
  });
  if (done === "interrupted") return done;
  const places = new Set(files.map(({ place }) => place));
  return { sessions, more: files.length - looked, problems: [...problems, ...unread], places };
}

/** Lists what can be imported, with the command for each. */
export async function listOffered(
  call: Invocation,
  places: ImportPlaces,
): Promise<number | ConversationRefusal> {
  const { settings, terminal, flags } = call;
  const offer = await offerSessions(call, places, flags.limit ?? usualLimit, "all");
  if (offer === "interrupted") return interrupted(call, "nothing was imported.");
  if (isRefusal(offer)) return offer;
  const { sessions, more, problems } = offer;
  if (settings.json) {
    await terminal.out(jsonLine({ success: true, sessions: sessions.map(toJson), more, problems }));
    return exitCodes.success;
  }
  for (const problem of cappedLines(problems, "; --json tells all"))
    terminal.err(`${terminal.errPaint.yellow("note:")} ${escapeForPeople(problem)}\n`);
  for (const session of sessions) await terminal.out(`${described(session, terminal.outPaint).join("\n")}\n`);
  if (more > 0) terminal.err(`… ${more} more; --limit shows them.\n`);
  const open = sessions.filter(({ isImported }) => !isImported).length;
  const place = `in the folders of ${flags.from ?? places.importers.agents.join(", ")}`;
  const among = typeof flags.project !== "string" ? "" : ` that worked in ${escapeForPeople(flags.project)}`;
  const none = `There are no sessions of other programs${among} ${place}. To import a file: holdfast sessions import FILE\n`;
  const offered = `${counted(open, "session")} to import; --all imports ${open === 1 ? "it" : "them"}.\n`;
  terminal.err(sessions.length === 0 ? none : open === 0 ? "All of these are imported.\n" : offered);
  return exitCodes.success;
}

const usualLimit = 50;

function described(
  { file, title, cwd, reference, isImported, importId, sizeBytes }: OfferedSession,
  paint: Paint,
): readonly string[] {
  const name = title === undefined ? paint.dim("untitled") : escapeForPeople(title);
  const facts = [
    paint.cyan(file.agent.padEnd(8)),
    localTime(file.modifiedMs),
    readableSize(sizeBytes).padStart(10),
    name,
    ...(cwd === undefined ? [] : [paint.dim(escapeForPeople(cwd))]),
  ];
  const command = isImported
    ? `imported as ${importId}`
    : `holdfast sessions import ${escapeForPeople(reference)}`;
  return [facts.join("  "), `          ${paint.dim(command)}`];
}

function toJson(session: OfferedSession): object {
  const { file, id, title, cwd, reference, isImported, importId, sizeBytes } = session;
  return {
    agent: file.agent,
    id,
    title: title ?? null,
    cwd: cwd ?? null,
    modified: isoTime(file.modifiedMs),
    bytes: sizeBytes,
    file: file.place,
    reference,
    imported: isImported ? importId : null,
  };
}

/** By its id where that is a plain word; a hostile one would be more than a word to a shell. */
function referenceTo({ agent, place }: ForeignFile, { id }: ForeignFacts): string {
  if (/^[\w.-]{1,128}$/.test(id)) return `${agent}:${id}`;
  return `'${place.replaceAll("'", "'\\''")}'`;
}
