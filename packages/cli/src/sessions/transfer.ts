import { createHash } from "node:crypto";
import {
  type ConversationRefusal,
  cappedLines,
  describeLoss,
  escapeInJson,
  exportAtPace,
  type ImportedSession,
  isRefusal,
  readSessionInSteps,
  reidentify,
  type SessionFacts,
  type SessionStore,
  takeAtPace,
} from "@holdfast/core";
import { counted, reportRefusal } from "../answers/index.js";
import {
  atPersonsPace,
  escapeName,
  exitCodes,
  finishOnceBegun,
  type Invocation,
  leavingWith,
  readInputText,
} from "../shell/index.js";
import { interrupted, jsonLine, newIds } from "./open-store.js";
import { writeOut } from "./output.js";

/** `holdfast sessions export ID`: one text of JSON Lines that another machine can import. */
export async function exportOne(
  call: Invocation,
  store: SessionStore,
  { id }: SessionFacts,
): Promise<number | ConversationRefusal> {
  const loading = { doing: "Reading" };
  const exported = await atPersonsPace(call, loading, (pace) => exportAtPace(store, id, pace));
  if (exported === "interrupted") return interrupted(call, "nothing was exported.");
  if (isRefusal(exported)) return exported;
  const missing = [...exported.problems.map(({ message }) => message), ...exported.losses.map(describeLoss)];
  for (const line of cappedLines(missing)) call.terminal.err(`Not in the export: ${escapeName(line)}\n`);
  return writeOut(call, harmlessLines(exported.lines), exported.count);
}

function* harmlessLines(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield escapeInJson(line);
}

/** `holdfast sessions import FILE`: an export of ours, or a session of pi or of Claude Code. */
export async function importOne(
  call: Invocation,
  store: SessionStore,
): Promise<number | ConversationRefusal> {
  const { args, flags, settings, terminal } = call;
  const text = await leavingWith(nothingImported, () => readInputText(args[1], sessionLimits));
  if (typeof text !== "string") {
    if (settings.json)
      await terminal.out(jsonLine({ success: false, code: text.code, message: text.message }));
    return reportRefusal(text, terminal);
  }
  const newId = newIds();
  const from = args[1] === undefined || args[1] === "-" ? "standard input" : args[1];
  const work = readSessionInSteps(text, {
    from,
    newId,
    now: Date.now(),
    digest: (bytes) => createHash("sha256").update(bytes).digest("hex"),
    repair: flags.repair === true,
  });
  const read = await atPersonsPace(call, { doing: "Importing" }, (pace) => takeAtPace(work, pace));
  if (read === "interrupted") return interrupted(call, nothingImported);
  if (isRefusal(read)) return read;
  const session = flags.newId === true ? renamed(read, newId()) : read;
  const created = await atPersonsPace(call, { doing: "Storing" }, (pace) =>
    finishOnceBegun(() => store.create(session.sessionId, session.events, pace)),
  );
  if (isRefusal(created)) return created.code === "cancelled" ? interrupted(call, nothingImported) : created;
  await created.close();
  await report(call, session);
  return exitCodes.success;
}

const nothingImported = "nothing was imported, and the sessions stand as they were.";

function renamed(session: ImportedSession, sessionId: string): ImportedSession {
  const events = session.events.map(({ ts, event }) => ({
    ts,
    event: reidentify(event, session.sessionId, sessionId),
  }));
  return { ...session, sessionId, events };
}

async function report({ settings, terminal }: Invocation, session: ImportedSession): Promise<void> {
  const { sessionId, format, title, nodes, problems } = session;
  if (settings.json) {
    await terminal.out(
      jsonLine({ success: true, id: sessionId, format, title: title ?? null, nodes, problems }),
    );
    return;
  }
  for (const line of cappedLines(
    problems.map(({ message }) => message),
    "; --json tells all",
  ))
    terminal.err(`${terminal.errPaint.yellow("note:")} ${escapeName(line)}\n`);
  const name = formats[format];
  await terminal.out(
    `Imported ${counted(nodes, "node")} from ${name}: ${escapeName(sessionId)}  ${escapeName(title ?? "")}\n`,
  );
}

/** A line of a session holds one turn, or one state of a file of at most 64 MiB. */
const sessionLimits = { bytes: 256 * 1024 * 1024, lineBytes: 100 * 1024 * 1024 };

const formats = {
  pi: "a session of pi",
  claude: "a transcript of Claude Code",
  holdfast: "an export",
} as const;
