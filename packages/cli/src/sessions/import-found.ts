import type { ConversationRefusal, SessionStore } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { escapeForPeople } from "@holdfast/core/text";
import type { Importers, Offer, OfferedSession } from "../addons.js";
import { counted, isoTime, localTime, readableSize } from "../answers/amounts.js";
import { isWithin } from "../answers/choose-roots.js";
import { jsonLine } from "../answers/one-answer.js";
import { noteProblems } from "../answers/report.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import { atPersonsPace } from "../shell/long-work.js";
import type { Paint } from "../shell/terminal.js";
import { interrupted } from "./open-store.js";

/** Where sessions come from, and where they go. */
export interface ImportPlaces {
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
export async function offerSessions(
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
export async function listOffered(
  call: Invocation,
  places: ImportPlaces,
): Promise<number | ConversationRefusal> {
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
