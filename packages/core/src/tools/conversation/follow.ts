import { refuse } from "../../files/index.js";
import {
  type Answered,
  answer,
  type Caller,
  type ConversationHost,
  type FilesThatFollow,
} from "./conversation-tool.js";

type Request = Pick<Parameters<FilesThatFollow["follow"]>[0], "toId" | "consent" | "conflicts" | "move">;

/** Moves the head together with the files. */
export async function follow(host: ConversationHost, request: Request, asked: Caller): Promise<Answered> {
  if (host.files === undefined)
    return refuse(
      "files_refused",
      "No workspace is open here, so files cannot be put back; leave files at keep.",
    );
  const answering = asked.byModel ? (told: string) => asked.answered(told) : undefined;
  const followed = await host.files.follow({ ...request, answering });
  return followed.kind === "refusal" ? followed : answer(followed.message, followed.data);
}
