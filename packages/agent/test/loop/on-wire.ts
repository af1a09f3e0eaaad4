import type { ContextManager } from "@holdfast/core/conversation";
import type { TurnNode } from "@holdfast/core/conversation/values";
import { afterThisTest } from "../../../../test/cleanups.js";
import { hangMs } from "../../../../test/until.js";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import type { TurnEnd } from "../../src/loop/turn.js";
import { anthropicModel } from "../../src/models/anthropic.js";
import { googleModel, openaiChatModel, openaiResponsesModel } from "../../src/models/open-model.js";
import type { ProviderOptions } from "../../src/models/provider-port.js";
import { ProviderServer, type ServedAnswer, type Wire } from "../loopback/index.js";
import { openStage, type Stage } from "./stage.js";

/** A conversation that a model has with the agent, in the words of no provider. */
export interface Session {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly script: readonly ServedAnswer[];
  /** What the user says, turn by turn. */
  readonly turns: readonly string[];
  readonly parts?: Partial<AgentParts>;
  /** What the files hold at the end. */
  readonly after: Readonly<Record<string, string>>;
}

/** A session that was played to its end over one wire. */
export interface Played {
  readonly stage: Stage;
  readonly server: ProviderServer;
  readonly ends: readonly TurnEnd[];
}

/** Plays a session through the real agent, the real SDK and a server that refuses what is badly made. */
export async function play(wire: Wire, { files, script, turns, parts }: Session): Promise<Played> {
  const server = await serve(wire, script);
  const stalls = script.some(({ fault }) => fault?.kind === "stall");
  const model = portTo(server, stalls ? 5_000 : hangMs);
  const stage = await openStage([], { ...parts, model }, files);
  const ends: TurnEnd[] = [];
  for (const text of turns) ends.push(await stage.turn(text));
  return { stage, server, ends };
}

/** A provider's server for one test. */
export async function serve(wire: Wire, script: readonly ServedAnswer[]): Promise<ProviderServer> {
  const server = await new ProviderServer(wire, script).open();
  afterThisTest(() => server.close());
  return server;
}

/** Our port to a server, through the provider's SDK; it waits for nothing before it asks again. */
export function portTo({ wire, url, key }: ProviderServer, idleMs = hangMs) {
  const sleep = async () => {};
  const options: ProviderOptions = {
    model: wire.model,
    key,
    keyName: "THE_KEY",
    baseUrl: url,
    idleMs,
    openMs: idleMs,
    retry: { attempts: 4, sleep, random: () => 1 },
  };
  switch (wire.name) {
    case "Anthropic Messages":
      return anthropicModel(options);
    case "OpenAI Responses":
      return openaiResponsesModel(options);
    case "Chat Completions":
      return openaiChatModel({ ...options, provider: wire.provider });
    default:
      return googleModel(options);
  }
}

/**
 * The tree as one text a node, indented by its depth: ids by their order, and without what is a provider's own (origin,
 * signatures, thoughts, usage, time). Results of calls that ran side by side stand in the order of the calls, without version
 * numbers: which of them ends first is nobody's promise.
 */
export function treeOf({ context }: ContextManager): readonly string[] {
  const names = new Map<string, string>();
  const name = (id: string) => names.set(id, names.get(id) ?? `#${names.size}`);
  name(context.sessionId);
  const lines: string[] = [];
  let results: { readonly id: string; readonly order: number; readonly line: string }[] = [];
  const endResults = () => {
    for (const { id, line } of results.sort((one, other) => one.order - other.order)) {
      name(id);
      lines.push(line);
    }
    results = [];
  };
  const visit = (node: TurnNode, depth: number) => {
    const isOurs = !isProvidersOwn(node);
    const { payload } = node;
    if (isOurs) {
      if (payload.kind === "tool_call") name(payload.callId);
      if (payload.kind === "restore") name(payload.restoreId);
      const line = `${depth} ${JSON.stringify(neutral(node)).replace(/(version[\\": =]+)\d+/gu, "$1…")}`;
      if (payload.kind === "tool_result")
        results.push({ id: node.id, order: [...names.keys()].indexOf(payload.callId), line });
      else {
        endResults();
        name(node.id);
        lines.push(line);
      }
    }
    for (const id of node.childIds) {
      const child = context.nodes.get(id);
      if (child !== undefined) visit(child, depth + (isOurs && payload.kind !== "tool_result" ? 1 : 0));
    }
  };
  visit(context.rootNode, 0);
  endResults();
  let head = context.nodes.get(context.currentNodeId);
  while (head !== undefined && isProvidersOwn(head)) head = context.nodes.get(head.parentId ?? "");
  lines.push(`head ${head?.id}`);
  const longest = [...names].sort(([one], [other]) => other.length - one.length);
  return lines.map((line) => longest.reduce((text, [id, short]) => text.replaceAll(id, short), line));
}

/** Thoughts, and empty words that are there for their signature. */
function isProvidersOwn({ payload }: TurnNode): boolean {
  return payload.kind === "model_message" && payload.text === "";
}

function neutral({ payload }: TurnNode): object {
  const own = new Set(["from", "step", "signature", "thought"]);
  // It lists thoughts, too.
  if (payload.kind === "tool_result" && /^(history_view|conversation)$/u.test(payload.name))
    own.add("output");
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !own.has(key)));
}

/** What the model thought, as the tree keeps it, in the order in which it was thought. */
export function thoughtsOf({ context }: ContextManager): readonly string[] {
  const inTime = [...context.nodes.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  return inTime.flatMap(({ payload }) =>
    payload.kind === "model_message" && payload.thought !== undefined ? [payload.thought] : [],
  );
}
