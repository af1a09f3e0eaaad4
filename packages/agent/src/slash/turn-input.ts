import type { ContextManager } from "@holdfast/core/conversation";
import { type ExpandOptions, expandInput, type StagedMedia } from "../input/expand-input.js";
import type { Agent } from "../loop/agent.js";
import type { TurnInput } from "../loop/turn.js";

/** What the user's words become a turn of. */
export interface TurnPlace extends Required<Pick<ExpandOptions, "workspace" | "resources" | "fetch">> {
  readonly agent: Agent;
  readonly conversation: { readonly manager: ContextManager };
  /** `git`: what git says of the folder, for the first prompt. */
  readonly written: { readonly git: Promise<string | undefined> };
}

/**
 * The user's words as a turn, with the files that `@` names.
 *
 * @param told gets a sentence for each mention of which not all became clear.
 * @param isTyped as of `ExpandOptions`.
 */
export async function turnInput(
  { agent, workspace, resources, fetch, conversation, written }: TurnPlace,
  text: string,
  told: (sentence: string) => void,
  signal: AbortSignal,
  isTyped = false,
): Promise<TurnInput> {
  const { uploads } = agent;
  const { isVisible } = agent.visibility;
  const onMedia = async (file: StagedMedia) => {
    const said = await uploads?.media(file);
    if (said !== undefined) told(said);
  };
  const input = await expandInput(text, { workspace, isVisible, signal, resources, fetch, onMedia, isTyped });
  if (input.kind === "cancelled") return { text };
  for (const { written, became, message } of input.mentions)
    if (became === "nothing" || became === "left_out") told(`${written}: ${message}`);
  // Said once, where the conversation begins: what changes from prompt to prompt would end the provider's cache.
  const isFirst = conversation.manager.getCurrentNode().depth === 0;
  const git = isFirst ? await written.git : undefined;
  const place = git === undefined ? [] : [{ kind: "note", text: git, audience: "model" } as const];
  return { text: input.text, staged: [...place, ...input.staged] };
}

/** The title of a session that begins with these words; empty where they are. */
export function titleOf(prompt: string): string {
  const [line = ""] = prompt.trim().split("\n");
  return line.length > titleChars ? `${line.slice(0, titleChars - 1)}…` : line;
}

const titleChars = 80;
