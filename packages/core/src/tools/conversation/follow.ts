import * as z from "zod";
import type { ConversationRefusal } from "../../conversation/index.js";
import { refuse } from "../../files/index.js";
import {
  answer,
  type Caller,
  type ConversationAnswer,
  type ConversationHost,
  type FilesThatFollow,
} from "./conversation-tool.js";

type Request = Pick<Parameters<FilesThatFollow["follow"]>[0], "toId" | "consent" | "conflicts" | "move">;

/** Moves the head together with the files. */
export async function follow(
  host: ConversationHost,
  request: Request,
  asked: Caller,
): Promise<ConversationAnswer | ConversationRefusal> {
  if (host.files === undefined)
    return refuse(
      "files_refused",
      "No workspace is open here, so files cannot be put back; leave files at keep.",
    );
  const answering = asked.byModel ? (told: string) => asked.answered(told) : undefined;
  const followed = await host.files.follow({ ...request, answering });
  return followed.kind === "refusal" ? followed : answer(followed.message, followed.data);
}

/** Of the tools that move the head: what becomes of files that cannot be put back just so. */
export const conflictParameters = {
  consent: z
    .array(z.string().min(1))
    .exactOptional()
    .describe("Paths to be put back although somebody else changed them; only where the user agreed"),
  conflicts: z
    .enum(["refuse", "leave"])
    .exactOptional()
    .describe("leave: other files in conflict stay as they are; refuse, unless given: then nothing is moved"),
};

/** What goes with files: restore only. */
export function strayParameter(args: {
  readonly consent?: unknown;
  readonly conflicts?: unknown;
}): ConversationRefusal | undefined {
  const stray = (["consent", "conflicts"] as const).find((name) => args[name] !== undefined);
  return stray === undefined ? undefined : refuse("invalid_arguments", `${stray} goes with files: restore.`);
}
