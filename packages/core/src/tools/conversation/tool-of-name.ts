import { isRefusal } from "../../files/values/index.js";
import { findTool, toolNames } from "../file-tools/catalog.js";
import { type HostTool, moreTools, moreToolsName } from "../run/host-tool.js";
import { bareName, foreignArguments, foreignName, plainName } from "../tool/spellings.js";
import { type FileTool, parseArguments } from "../tool/tool.js";
import {
  conversationName,
  conversationTool,
  conversationToolNames,
  findConversationTool,
  toolOfAction,
} from "./catalog.js";
import type { ConversationTool } from "./conversation-tool.js";

/** A tool of any kind: by its kind a host knows who carries its calls out. */
export type Tool = FileTool | ConversationTool | HostTool;

/** The tool that a call names; those of the host are asked for first. Undefined where there is none. */
export function toolOfName(name: string, hostTools: readonly HostTool[] = []): Tool | undefined {
  const own = name === conversationName ? all : (findConversationTool(name) ?? findTool(name));
  return hostTools.find((tool) => tool.name === name) ?? own;
}

const all = conversationTool();

/** A call by the name of a tool, whichever way it came. */
export interface MeantCall {
  readonly name: string;
  readonly args: unknown;
}

/**
 * A call of `conversation` as the call of the tool that its action names, one of `more_tools` as the call that it asks for,
 * one of another agent's tool as the call of ours that does the same: so it is judged, carried out and shown. Every other
 * call is itself, and so is one that names nothing.
 *
 * @param hostTools what is called as one of them is it.
 */
export function meantCall(given: MeantCall, hostTools: readonly HostTool[] = []): MeantCall {
  const call = ownCall(given, hostTools);
  const { name, args } = call;
  const fields: Readonly<Record<string, unknown>> = { ...Object(args) };
  if (name === conversationName) {
    const { action, ...rest } = fields;
    const tool = toolOfAction(action);
    return tool === undefined ? call : { name: tool.name, args: rest };
  }
  if (name !== moreToolsName) return call;
  const parsed = parseArguments(finding, fields);
  if (isRefusal(parsed) || parsed.ignored !== "" || typeof parsed.values.name !== "string") return call;
  return meantCall({ name: parsed.values.name, args: parsed.values.args ?? {} }, hostTools);
}

const finding = moreTools([]);

/** A call under the name that its tool has here. */
function ownCall({ name, args }: MeantCall, hostTools: readonly HostTool[]): MeantCall {
  const isKnown = (one: string) => one === moreToolsName || toolOfName(one, hostTools) !== undefined;
  const bare = isKnown(name) ? name : bareName(name);
  if (isKnown(bare)) return bare === commandName ? foreignArguments(bare, args) : { name: bare, args };
  const own = [...toolNames, ...conversationToolNames, commandName].find(
    (one) => plainName(one) === plainName(bare),
  );
  const meant = own ?? foreignName(bare);
  return meant === undefined ? { name, args } : foreignArguments(meant, args);
}

/** The host's tool for commands, which has its name in every agent. */
const commandName = "run_shell_command";
