import type { ConversationRefusal, JsonObject } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import type { ConversationReply } from "@holdfast/core/tools";
import type { CommandCode, CommandHost, CommandOutcome, CommandResult, DoneResult } from "./command.js";

/** It was done. */
export function told(
  message: string,
  more: { readonly data?: JsonObject; readonly text?: string } = {},
): DoneResult {
  return { kind: "told", message, ...more };
}

/** Nothing was done. */
export function refused(code: CommandCode, message: string): CommandOutcome {
  return { kind: "refused", code, message };
}

/** What was done to the conversation, once it is durable; a refusal where it was not done. */
export async function kept(
  done: object | ConversationRefusal,
  manager: CommandHost["manager"],
  result: DoneResult,
): Promise<CommandOutcome> {
  const flushed = isRefusal(done) ? done : await manager.flush();
  return isRefusal(flushed) ? refused(flushed.code, flushed.message) : result;
}

/** The host cannot do it. */
export function unavailable(what: string): CommandOutcome {
  return refused("unavailable", `${what} cannot be done here.`);
}

/** The answer of a conversation tool as the result of its command: the same code path, the same words. */
export function ofReply({ text, isError, code, data }: ConversationReply): CommandOutcome {
  if (isError) return refused(code === "ok" ? "internal_error" : code, text);
  const [message = "", ...rest] = text.split("\n");
  const lines = data === undefined ? rest : rest.slice(1);
  const more = {
    ...(data === undefined ? {} : { data }),
    ...(lines.length === 0 ? {} : { text: lines.join("\n") }),
  };
  return told(message, more);
}

/** What a conversation tool does, as the result of its command. */
export async function carried(tool: string, args: object, { agent }: CommandHost): Promise<CommandOutcome> {
  return ofReply(await agent.carry(tool, args));
}

/** A file that a move would put back, as the conversation tools tell it. */
export interface DueFact {
  readonly path: string;
  readonly kind: string;
  /** Hashes: of now, and of then; `null` where there is no file. */
  readonly from: string | null;
  readonly to: string | null;
  /** Of a conflict: whether a person may agree to it. */
  readonly consentable?: boolean;
}

/** The files that a preview of a move names. */
export function dueFilesIn(data: JsonObject | undefined): readonly DueFact[] {
  const files: unknown = data?.files;
  return Array.isArray(files) ? files.filter(isDue) : [];
}

function isDue(value: unknown): value is DueFact {
  return typeof value === "object" && value !== null && "path" in value && "kind" in value;
}

/** A result as text for a person; what needs no words is empty. */
export function describeResult(result: CommandResult): string {
  switch (result.kind) {
    case "told":
      return [result.message, ...(result.text === undefined || result.text === "" ? [] : [result.text])].join(
        "\n",
      );
    case "refused":
      return result.message;
    case "question":
      return [
        result.message,
        result.text,
        ...result.choices.map(({ says, line }) => `  ${line}\n    ${says}`),
      ].join("\n");
    case "prompt":
      return result.message ?? "";
    case "session":
    case "quit":
      return "";
    default:
      return result satisfies never;
  }
}
