import { commandWords, dueFact, dueLine, filesDue } from "../../conversation/index.js";
import { isRefusal, refuse } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import type { FilesAtMove } from "./conversation-request.js";
import {
  type Answered,
  answer,
  type Caller,
  type ConversationHost,
  type FileMove,
} from "./conversation-tool.js";

/** A move, and what is to become of the files. */
interface MoveWithFiles {
  readonly move: FileMove;
  readonly files: FilesAtMove;
}

/**
 * Moves the head as it was asked for: alone, with the files, or not at all, for a preview.
 *
 * @param keep moves the head alone; it is given a sentence on the files that are not as they were there. Without it
 *   there is no such move.
 */
export async function atMove(
  host: ConversationHost,
  { move, files }: MoveWithFiles,
  asked: Caller,
  keep: (left: string) => Answered = () => noMove,
): Promise<Answered> {
  switch (files.kind) {
    case "keep":
      return keep(await leftWords(host, move));
    case "preview":
      return preview(host, move);
    case "restore":
      return follow(host, { move, files }, asked);
    default:
      return files satisfies never;
  }
}

const noMove = refuse("invalid_arguments", "Nothing would be done: the head stays, and so would the files.");

async function follow(
  host: ConversationHost,
  { move, files }: { readonly move: FileMove; readonly files: Extract<FilesAtMove, { kind: "restore" }> },
  asked: Caller,
): Promise<Answered> {
  if (host.files === undefined) return noWorkspace;
  const answering = asked.byModel ? (told: string) => asked.answered(told) : undefined;
  const { consent, conflicts } = files;
  const followed = await host.files.follow({ move, consent, conflicts, answering });
  return followed.kind === "refusal" ? followed : answer(followed.message, followed.data);
}

const noWorkspace = refuse(
  "files_refused",
  "No workspace is open here, so files cannot be put back; leave files at keep.",
);

async function preview(host: ConversationHost, move: FileMove): Promise<Answered> {
  if (host.files === undefined) return noWorkspace;
  const plan = await host.files.plan(move);
  if (isRefusal(plan)) return plan;
  const due = filesDue(plan);
  const { paths, unknown } = plan.commands;
  const stays = commandWords(plan.commands);
  const data = {
    files: due.map(dueFact),
    unknown: [...plan.unknown],
    ...(stays === "" ? {} : { commands: { paths: [...paths], unknown } }),
  };
  if (due.length === 0) return answer(`Nothing was moved. No file would be put back.${stays}`, data);
  const lines = [...due.map(dueLine), ...(stays === "" ? [] : [stays.trim()])].join("\n");
  return answer(`Nothing was moved. With restore, files would change (${due.length}):`, data, lines);
}

/** A head that moves alone leaves the files as they are: which of them are not as they were there. */
async function leftWords(host: ConversationHost, move: FileMove): Promise<string> {
  const plan = await host.files?.plan(move);
  if (plan === undefined || isRefusal(plan)) return "";
  const paths = filesDue(plan).map(({ path }) => escapeForDisplay(path));
  const stays = commandWords(plan.commands);
  if (paths.length === 0) return stays;
  const shown = paths.slice(0, mostNamed).join(", ");
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : "";
  return ` The files stay as they are; not as they were there: ${shown}${more}.${stays}`;
}

const mostNamed = 20;
