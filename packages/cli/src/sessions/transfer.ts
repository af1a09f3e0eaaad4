import { createHash } from "node:crypto";
import { exportSession, loadSession } from "@holdfast/core/conversation";
import {
  foldedText,
  type ImportedSession,
  type ImportOptions,
  type ImportProblem,
  readExportInSteps,
} from "@holdfast/core/conversation/import";
import { describeLoss } from "@holdfast/core/conversation/journal";
import {
  type ConversationRefusal,
  type NewNode,
  reidentify,
  type SessionStore,
} from "@holdfast/core/conversation/values";
import { isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import { cappedLines, counted, escapeForPeople, escapeInJson, takeAtPace } from "@holdfast/core/text";
import {
  absentAddon,
  addonFor,
  type Importers,
  loadAddon,
  type Offer,
  type OfferedSession,
  type SessionSource,
} from "../addons.js";
import { isoTime, localTime, readableSize } from "../answers/amounts.js";
import { isWithin } from "../answers/choose-roots.js";
import { jsonLine } from "../answers/one-answer.js";
import { noteProblems } from "../answers/report.js";
import { exitCodes } from "../shell/exit-codes.js";
import { type InputProblem, readInputLines } from "../shell/input.js";
import { finishOnceBegun, interruptible } from "../shell/interrupt.js";
import type { Invocation } from "../shell/invocation.js";
import { atPersonsPace } from "../shell/long-work.js";
import type { Paint } from "../shell/terminal.js";
import { type AnyRefusal, interrupted, newIds, onSession, onStore } from "./open-store.js";
import { writeOut } from "./output.js";

/** `holdfast sessions export ID`: one text of JSON Lines that another machine can import. */
export const exportOne = onSession(async (call, store, { id }) => {
  const loading = { doing: "Reading" };
  const exported = await atPersonsPace(call, loading, (pace) => exportSession(store, id, pace));
  if (isRefusal(exported))
    return exported.code === "cancelled" ? interrupted(call, "nothing was exported.") : exported;
  const missing = [...exported.problems.map(({ message }) => message), ...exported.losses.map(describeLoss)];
  for (const line of cappedLines(missing)) call.terminal.err(`Not in the export: ${escapeForPeople(line)}\n`);
  return writeOut(call, harmlessLines(exported.lines), exported.count);
});

function* harmlessLines(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield escapeInJson(line);
}

/**
 * `holdfast sessions import FILE`: an export of ours, or a session of another program; `AGENT:ID` means one that
 * such a program keeps on this machine. Without a file, what there is is listed, or with `--all` imported.
 */
export const importOne = onStore(async (call, store) => {
  const { args, flags } = call;
  const [, name] = args;
  if (name === undefined) {
    const { openImporters } = await addonFor("importers", call.misuse);
    const into = { store, importers: openImporters(readInputLines) };
    return flags.all === true ? importAll(call, into) : listOffered(call, into);
  }
  if (flags.from !== undefined) return call.misuse("--from goes without FILE");
  const importers = (await loadAddon("importers"))?.openImporters(readInputLines);
  const source = await sourceNamed(name, importers);
  if (isRefusal(source)) return source;
  const taken = await takeIn(call, { store, importers }, source);
  if (isRefusal(taken)) return taken.code === "cancelled" ? interrupted(call, nothingImported) : taken;
  await report(call, taken, importers);
  return exitCodes.success;
});

/** `holdfast sessions import --all`: one after the other; what was imported before stays as it is. */
async function importAll(call: Invocation, into: ImportPlaces): Promise<number | AnyRefusal> {
  const { settings, terminal, flags } = call;
  const offer = await offerSessions(call, into, flags.limit ?? Number.POSITIVE_INFINITY, "new");
  if (offer === "interrupted") return interrupted(call, nothingImported);
  if (isRefusal(offer)) return offer;
  noteProblems(terminal, offer.problems);
  const results: object[] = [];
  let [imported, failed] = [0, 0];
  for (const session of offer.sessions) {
    const { place, reference } = session;
    const taken = await amongOthers(place, () => takeIn(call, into, session, offer.places));
    if (isRefusal(taken) && taken.code === "cancelled")
      return interrupted(call, `${counted(imported, "session")} of ${offer.sessions.length} imported.`);
    if (!isRefusal(taken)) {
      imported += 1;
      if (!settings.json) await report(call, taken, into.importers, reference);
      results.push({ reference, ...importedToJson(taken) });
      continue;
    }
    const { code, message } = taken;
    failed += code === "duplicate_id" ? 0 : 1;
    results.push({ reference, success: code === "duplicate_id", code, message });
    if (!settings.json) terminal.err(`${escapeForPeople(reference)}: ${escapeForPeople(message)}\n`);
  }
  if (settings.json)
    await terminal.out(
      jsonLine({
        success: failed === 0,
        imported,
        sessions: results,
        more: offer.more,
        problems: offer.problems,
      }),
    );
  else terminal.err(`${counted(imported, "session")} of ${offer.sessions.length} imported.\n`);
  if (!settings.json && offer.more > 0) terminal.err(`… ${offer.more} more files were not looked at.\n`);
  return failed === 0 ? exitCodes.success : exitCodes.state;
}

/**
 * What is done with one file of many. What a mistake of ours throws at it is told with the file's name and as what it
 * is, so that the others have their turn. Where no file can be opened any more the next one fares no better: then the
 * whole command says so.
 */
export async function amongOthers<Result>(
  place: string,
  work: () => Promise<Result>,
): Promise<Result | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && "code" in error && /^E[MN]FILE$/.test(String(error.code))) throw error;
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return refuse("internal_error", `${place} was not imported: an error of Holdfast (${said}).`);
  }
}

async function sourceNamed(
  name: string,
  importers: Importers | undefined,
): Promise<SessionSource | ConversationRefusal> {
  const ofAgent = await importers?.named(name);
  if (ofAgent !== undefined) return ofAgent;
  const place = name === "-" ? "standard input" : name;
  return { place, read: () => interruptible(nothingImported, () => readInputLines(name, sessionLimits)) };
}

/** Where an imported session goes; without the add-on only exports of ours can be read. */
interface ImportInto {
  readonly store: SessionStore;
  readonly importers: Importers | undefined;
}

/** @param places the files that are imported with it; of two of one id both are kept. */
async function takeIn(
  call: Invocation,
  { store, importers }: ImportInto,
  { place, read }: SessionSource,
  places: ReadonlySet<string> = new Set(),
): Promise<ImportedSession | AnyRefusal> {
  const source = await read();
  if (isRefusal(source)) return source;
  const newId = newIds();
  const options: ImportOptions = {
    from: place,
    newId,
    now: Date.now(),
    digest: (bytes) => createHash("sha256").update(bytes).digest("hex"),
    unread: source.unread,
    ...(call.flags.newId === true ? { idOf: newId } : {}),
  };
  const reading = await interruptible(
    nothingImported,
    async () =>
      (await importers?.read(source.text, options)) ?? {
        work: readExportInSteps(source.text, options),
        problems: [],
      },
  );
  const made = await atPersonsPace(call, { doing: "Importing" }, (pace) => takeAtPace(reading.work, pace));
  if (made === "interrupted") return refuse("cancelled", nothingImported);
  if (isRefusal(made)) return importers === undefined ? withoutImporters(made) : made;
  const problems = [...source.problems.map(problemOf), ...reading.problems, ...made.problems];
  const whole = { ...made, problems };
  const session =
    made.format === "holdfast" ? whole : await apart({ store, importers }, whole, place, places);
  if (isRefusal(session)) return session;
  const known = session.format === "holdfast" ? undefined : await importedBefore(store, session);
  if (known !== undefined) return known;
  const own =
    call.flags.newId === true && session.format === "holdfast" ? renamed(session, newId()) : session;
  const created = await atPersonsPace(call, { doing: "Storing" }, (pace) =>
    finishOnceBegun(() => store.create(own.sessionId, own.events, pace)),
  );
  if (isRefusal(created)) return created;
  await created.close();
  return own;
}

/** What is no export may be a session of another program. */
function withoutImporters(refusal: ConversationRefusal): ConversationRefusal {
  if (refusal.code !== "not_a_session") return refusal;
  return {
    ...refusal,
    message: `${refusal.message} To read sessions of other programs: ${absentAddon("importers")}.`,
  };
}

function problemOf({ line, message }: InputProblem): ImportProblem {
  return { line: line ?? 1, what: line === undefined ? "unreadable_file" : "unreadable_line", message };
}

/** A session whose id another file found beside it has already taken gets one that is made of its file's name. */
async function apart(
  { store, importers }: ImportInto,
  session: ImportedSession,
  place: string,
  places: ReadonlySet<string>,
): Promise<ImportedSession | ConversationRefusal> {
  if (places.size === 0) return session;
  const from = await importedFrom(store, session.sessionId);
  if (from === undefined || from === place) return session;
  if (typeof from !== "string") return from;
  if (!places.has(from)) return session;
  const [startedMs = 0] = session.events.map(({ ts }) => ts);
  const { format, sessionId } = session;
  if (format === "holdfast" || importers === undefined) return session;
  const own = importers.importIdOf({ format, sourceId: `${sessionId} ${place}`, startedMs });
  const message = `${place} has the id of ${from}, which was imported as ${sessionId}; both are kept, this one as ${own}.`;
  const problems = [{ line: 1, what: "duplicate_id", message } as const, ...session.problems];
  return { ...renamed(session, own), problems };
}

/** The file that a stored session was read from. */
async function importedFrom(
  store: SessionStore,
  id: string,
): Promise<string | undefined | ConversationRefusal> {
  const session = await store.open(id, "read");
  if (isRefusal(session)) return session.code === "unknown_session" ? undefined : session;
  try {
    const [first] = session.records;
    const origin = first?.event.type === "session_started" ? first.event.origin : undefined;
    return origin?.kind === "import" ? origin.from : undefined;
  } finally {
    await session.close();
  }
}

/** Whether the session is here already, and whether it has grown there since. */
async function importedBefore(
  store: SessionStore,
  { sessionId, events, format }: ImportedSession,
): Promise<ConversationRefusal | undefined> {
  const stored = await loadSession(store, sessionId);
  if (isRefusal(stored)) return stored.code === "unknown_session" ? undefined : stored;
  const isFromThere = (node: Pick<NewNode, "metadata">) =>
    node.metadata?.provenance?.source === `import:${format}`;
  const here = [...stored.context.nodes.values()].filter(isFromThere).length;
  const there = events
    .flatMap(({ event }) => (event.type === "nodes_added" ? event.nodes : []))
    .filter(isFromThere);
  const grown = there.length - here;
  const since = grown > 0 ? ` and has ${counted(grown, "node")} more there since` : "";
  const message = `This session was imported before as ${sessionId}${since}. Nothing was imported.`;
  return refuse("duplicate_id", message);
}

/** A line holds one turn, or one state of a file of at most 64 MiB. */
const sessionLimits = { bytes: 256 * 1024 * 1024, lineBytes: 100 * 1024 * 1024 };

const nothingImported = "nothing was imported, and the sessions stand as they were.";

function renamed(session: ImportedSession, sessionId: string): ImportedSession {
  const events = session.events.map(({ ts, event }) => ({
    ts,
    event: reidentify(event, session.sessionId, sessionId),
  }));
  return { ...session, sessionId, events };
}

function importedToJson({ sessionId, format, title, nodes, folded, problems }: ImportedSession): object {
  return { success: true, id: sessionId, format, title: title ?? null, nodes, folded, problems };
}

/** @param heading stands above what is told of the session, where it is one of several. */
async function report(
  { settings, terminal }: Invocation,
  session: ImportedSession,
  importers: Importers | undefined,
  heading?: string,
): Promise<void> {
  const { sessionId, format, title, nodes, folded, problems } = session;
  if (settings.json) {
    await terminal.out(jsonLine(importedToJson(session)));
    return;
  }
  const left = foldedText(folded);
  const isTold = problems.length > 0 || left !== undefined;
  if (heading !== undefined && isTold) terminal.err(`${escapeForPeople(heading)}:\n`);
  const margin = heading === undefined ? "" : "  ";
  const messages = problems.map(({ message }) => message);
  noteProblems(terminal, messages, margin);
  if (left !== undefined) terminal.err(`${margin}Not in the tree: ${escapeForPeople(left)}.\n`);
  const name = importers?.formatNames[format] ?? "an export";
  await terminal.out(
    `Imported ${counted(nodes, "node")} from ${name}: ${escapeForPeople(sessionId)}  ${escapeForPeople(title ?? "")}\n`,
  );
}

/** Where sessions come from, and where they go. */
interface ImportPlaces {
  readonly store: SessionStore;
  readonly importers: Importers;
}

/** What there is to import, and the ids of the sessions that are here. */
type OpenOffer = Offer & { readonly known: ReadonlySet<string> };

/**
 * What `--from` and `--project` mean.
 *
 * @param most how many are looked for: of all, or of those that are `"new"` here.
 */
async function offerSessions(
  call: Invocation,
  { store, importers }: ImportPlaces,
  most: number,
  among: "all" | "new",
): Promise<OpenOffer | ConversationRefusal | "interrupted"> {
  const { from: agent, project } = call.flags;
  const { agents } = importers;
  if (agent !== undefined && !agents.includes(agent)) return call.misuse(`--from takes ${agents.join(", ")}`);
  const stored = await store.list();
  if (isRefusal(stored)) return stored;
  const known = new Set(stored.map(({ id }) => id));
  const isMeant = (cwd: string | undefined) =>
    typeof project !== "string" || (cwd !== undefined && isWithin(cwd, project));
  const counts = (importId: string) => among === "all" || !known.has(importId);
  const offer = await atPersonsPace(call, { doing: "Looking" }, (pace) =>
    importers.offer({ agent, isMeant, most, counts }, pace),
  );
  return offer === "interrupted" ? offer : { ...offer, known };
}

/** Lists what can be imported, with the command for each. */
async function listOffered(call: Invocation, places: ImportPlaces): Promise<number | ConversationRefusal> {
  const { settings, terminal, flags } = call;
  const offer = await offerSessions(call, places, flags.limit ?? usualLimit, "all");
  if (offer === "interrupted") return interrupted(call, "nothing was imported.");
  if (isRefusal(offer)) return offer;
  const { sessions, more, problems, known } = offer;
  if (settings.json) {
    await terminal.out(
      jsonLine({ success: true, sessions: sessions.map((one) => toJson(one, known)), more, problems }),
    );
    return exitCodes.success;
  }
  noteProblems(terminal, problems);
  for (const session of sessions)
    await terminal.out(`${described(session, known, terminal.outPaint).join("\n")}\n`);
  if (more > 0) terminal.err(`… ${more} more; --limit shows them.\n`);
  const open = sessions.filter(({ importId }) => !known.has(importId)).length;
  const place = `in the folders of ${flags.from ?? places.importers.agents.join(", ")}`;
  const among = typeof flags.project !== "string" ? "" : ` that worked in ${escapeForPeople(flags.project)}`;
  const none = `There are no sessions of other programs${among} ${place}. To import a file: holdfast sessions import FILE\n`;
  const offered = `${counted(open, "session")} to import; --all imports ${open === 1 ? "it" : "them"}.\n`;
  terminal.err(sessions.length === 0 ? none : open === 0 ? "All of these are imported.\n" : offered);
  return exitCodes.success;
}

const usualLimit = 50;

function described(
  { agent, modifiedMs, title, cwd, reference, importId, sizeBytes }: OfferedSession,
  known: ReadonlySet<string>,
  paint: Paint,
): readonly string[] {
  const name = title === undefined ? paint.dim("untitled") : escapeForPeople(title);
  const facts = [
    paint.cyan(agent.padEnd(8)),
    localTime(modifiedMs),
    readableSize(sizeBytes).padStart(10),
    name,
    ...(cwd === undefined ? [] : [paint.dim(escapeForPeople(cwd))]),
  ];
  const command = known.has(importId)
    ? `imported as ${importId}`
    : `holdfast sessions import ${escapeForPeople(reference)}`;
  return [facts.join("  "), `          ${paint.dim(command)}`];
}

function toJson(session: OfferedSession, known: ReadonlySet<string>): object {
  const { agent, place, modifiedMs, id, title, cwd, reference, importId, sizeBytes } = session;
  return {
    agent,
    id,
    title: title ?? null,
    cwd: cwd ?? null,
    modified: isoTime(modifiedMs),
    bytes: sizeBytes,
    file: place,
    reference,
    imported: known.has(importId) ? importId : null,
  };
}
