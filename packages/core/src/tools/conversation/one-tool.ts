import * as z from "zod";
import { refuse } from "../../files/values/index.js";
import { intentOf } from "../tool/arguments.js";
import { unlisted } from "../tool/tool.js";
import { type ConversationToolName, conversationTools } from "./catalog.js";
import { type ConversationTool, defineConversationTool, movingAnnotations } from "./conversation-tool.js";

/** The name of the one tool that is offered in the place of those that work on the conversation. */
export const conversationName = "conversation";

/**
 * One tool in the place of these, so that a prompt is small: `action` is the command of one of them, the other arguments
 * are that tool's. `meantCall` reads its calls.
 */
export function conversationTool(tools: readonly ConversationTool[] = conversationTools): ConversationTool {
  const commands = tools.map(({ command }) => command);
  const shape: Readonly<Record<string, z.ZodType>> = Object.assign(
    {},
    ...tools.map(({ parameters }) => parameters.shape),
  );
  const own = Object.entries(shape).map(([name, schema]) => {
    const said = listed.includes(name) ? { description: undefined } : unlisted;
    return [name, z.exactOptional(schema).meta(said)] as const;
  });
  return defineConversationTool({
    name: conversationName,
    command: conversationName,
    title: "Work on the conversation",
    description: descriptionFor(tools),
    parameters: z.object({ action: z.string().meta({ enum: commands }), ...Object.fromEntries(own) }),
    annotations: movingAnnotations,
    intent({ action, ...args }) {
      const tool = toolOfAction(action);
      if (tool !== undefined && tools.includes(tool)) return intentOf(tool, args);
      return refuse("invalid_arguments", `The argument action is one of ${commands.join(", ")}.`);
    },
  });
}

/** The tool whose command, or whose own name, an action is. */
export function toolOfAction(action: unknown): ConversationTool | undefined {
  const plain = String(action)
    .toLowerCase()
    .replaceAll(/[^a-z]+/gu, "_");
  return conversationTools.find(({ name, command }) => name === plain || command.replace(" ", "_") === plain);
}

function descriptionFor(tools: readonly ConversationTool[]): string {
  const said = words.filter(([name]) => tools.some((tool) => tool.name === name));
  return ["Works on this conversation. Call it alone.", ...said.map(([, says]) => says)].join(" ");
}

const words: readonly (readonly [ConversationToolName, string])[] = [
  ["task_start", "task start: a branch of its own, that sees all of before (clone), nothing or a summary."],
  ["task_complete", "task complete ends it: only your summary stays in view."],
  ["track_file", "file track: the newest state is shown to you by itself."],
  ["rewind", "history rewind: back to a turn, whose id history view shows."],
];

/** The arguments that are listed; a refusal names another one where a call needs it. */
const listed = ["name", "goal", "context", "summary", "files", "task_id", "hint", "file_path", "turn_id"];
