import { resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import { type OpenedWorkspace, type OpenWorkspaceOptions, refuseWideRoots } from "@holdfast/core/node";
import { defined, escapeForPeople } from "@holdfast/core/text";
import { dialectTools, type ToolName, toolNames } from "@holdfast/core/tools";
import {
  leastAnswerBudget,
  messageLimitBytes,
  mostAnswerBudget,
  RunningCalls,
  serveMcp,
} from "@holdfast/mcp";
import { type Addons, addonFor } from "../addons.js";
import { chooseRoots, type FolderLeftOut, noFolders } from "../answers/choose-roots.js";
import { openSettings } from "../answers/open.js";
import { reportRefusal } from "../answers/report.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Flags, Invocation, Settings } from "../shell/invocation.js";
import { MessageLines } from "../shell/message-lines.js";
import { roomInOutput, type Terminal } from "../shell/terminal.js";
import { version } from "../shell/version.js";

/** `holdfast mcp`: serves until the client closes our standard input. */
export async function mcpCommand({ flags, settings, terminal, misuse }: Invocation): Promise<number> {
  letCollect();
  const tools = namedTools(flags.tools, misuse);
  const { answerBudget = mostAnswerBudget } = flags;
  if (answerBudget < leastAnswerBudget || answerBudget > mostAnswerBudget)
    return misuse(`--answer-budget takes ${leastAnswerBudget} to ${mostAnswerBudget} characters`);
  if (process.stdin.isTTY) {
    terminal.err("This is an MCP server for an agent to start; end it with Ctrl-C. See: holdfast tour\n");
  }
  const usesHosts = flags.compat !== undefined || flags.rulesOf !== undefined;
  const hosts = usesHosts ? await addonFor("hosts", misuse) : undefined;
  const rulesFor = hostRulesFor(flags, hosts, terminal);
  const calls = new RunningCalls();
  const server = {
    version,
    calls,
    readOnly:
      flags.readOnly === true || (await rulesFor(flags.root ?? [process.cwd()]))?.().readOnly === true,
    structured: flags.structured === true,
    onError: (error: unknown, where: string) =>
      terminal.err(`holdfast: ${where}: ${escapeForPeople(messageOf(error))}\n`),
    ...defined({
      tools,
      wire: flags.wire,
      resultContent: flags.resultContent,
      answerBudget: flags.answerBudget,
      createServer: flags.compat === undefined ? undefined : hosts?.createCompatServer,
    }),
  };
  const { openFor, close } = workspaces(flags, settings, terminal, rulesFor);
  try {
    // What is wrong with the flags is said at once. A folder that nobody means is one only if the client names none.
    const isUnmeant = flags.root === undefined && isWideHere(flags);
    const first = isUnmeant ? undefined : await openFor(undefined);
    if (first !== undefined && isRefusal(first))
      return flags.compat === undefined
        ? reportRefusal(first, terminal)
        : refuseToStart(first, flags, terminal);
    // Read from now on: nobody would take what came before the folders were open.
    const input = process.stdin.pipe(new MessageLines(messageLimitBytes, refuseTooLong, pacedBy(calls)));
    await serveMcp({ ...server, input, workspace: openFor });
    return exitCodes.success;
  } finally {
    await close();
  }
}

function isWideHere({ allowWideRoot = false }: Flags): boolean {
  return !allowWideRoot && refuseWideRoots([process.cwd()]) !== undefined;
}

/** The workspaces of one server: one for each set of roots that it was asked for. */
function workspaces(
  flags: Flags,
  settings: Settings,
  terminal: Terminal,
  rulesFor: RulesFor,
): {
  readonly openFor: (uris: readonly string[] | undefined) => Promise<OpenedWorkspace | Refusal>;
  close(): Promise<void>;
} {
  const opened = new Map<string, OpenedWorkspace>();
  const warn = (sentence: string, folder?: FolderLeftOut) =>
    terminal.err(
      flags.compat === undefined || folder === undefined ? `holdfast: ${sentence}\n` : asOfficial(folder),
    );
  return {
    async openFor(uris) {
      const chosen = chooseRoots(flags.root, uris, warn);
      if (isRefusal(chosen)) return chosen;
      const key = JSON.stringify(chosen.roots);
      const before = opened.get(key);
      if (before !== undefined) return before;
      if (opened.size >= mostRootSets)
        return refuse(
          "invalid_arguments",
          "The client has changed its roots too often; start the server again.",
        );
      const rules = await rulesFor(chosen.roots);
      const session = {
        ...sessionOf(flags),
        ...(rules === undefined ? {} : { hostRules: () => rules().rules }),
      };
      const workspace = await openSettings({ ...settings, roots: chosen.roots }, terminal, session);
      if (!isRefusal(workspace)) opened.set(key, workspace);
      return workspace;
    },
    async close() {
      for (const workspace of opened.values()) await workspace.close();
    },
  };
}

type RulesFor = (
  roots: readonly string[],
) => Promise<Awaited<ReturnType<Addons["hosts"]["openHostRules"]>> | undefined>;

/** The rules of the client that the flags name, read anew for each set of roots; what does not count is said once. */
function hostRulesFor({ rulesOf }: Flags, hosts: Addons["hosts"] | undefined, terminal: Terminal): RulesFor {
  const told = new Set<string>();
  return async (roots) => {
    if (rulesOf === undefined) return undefined;
    const rules = await hosts?.openHostRules(rulesOf, roots);
    for (const rule of rules?.().left.filter((one) => !told.has(one)) ?? []) {
      told.add(rule);
      terminal.err(`holdfast: this rule does not count for these tools: ${escapeForPeople(rule)}\n`);
    }
    return rules;
  };
}

/** The words of the official server, by which its users know what went wrong. */
function asOfficial({ path, why }: FolderLeftOut): string {
  const shown = escapeForPeople(resolve(path));
  const what = why === "missing" ? `Cannot access directory ${shown}` : `${shown} is not a directory`;
  return `Warning: ${what}, skipping\n`;
}

/** In the official server's place: its sentences and its exit code, where no folder is left. */
function refuseToStart(refusal: Refusal, { root = [] }: Flags, terminal: Terminal): number {
  const leftOut = noFolders(root);
  if (root.length === 0 || leftOut.length < root.length) return reportRefusal(refusal, terminal);
  for (const folder of leftOut) terminal.err(asOfficial(folder));
  terminal.err("Error: None of the specified directories are accessible\n");
  return exitCodes.internal;
}

/** Each holds its folders open: calls that were begun in them may still be under way. */
const mostRootSets = 16;

/** Takes a message on when there is room for its work and for its answer: at once where there is. */
function pacedBy(calls: RunningCalls): (bytes: number) => Promise<void> | undefined {
  // Calls that were handed on in this turn of the loop: they may not have begun yet.
  let handedOn = 0;
  const handOn = () => {
    if (handedOn === 0)
      setImmediate(() => {
        handedOn = 0;
      });
    handedOn += 1;
  };
  const waitForRoom = async (below: number) => {
    await nextTurn();
    await calls.fewerThan(below);
    await roomInOutput(mostWaitingBytes);
    handOn();
  };
  return (bytes) => {
    const isLarge = bytes > largeMessageBytes;
    const isFull = calls.underWay + handedOn >= mostCalls || process.stdout.writableLength > mostWaitingBytes;
    if (isLarge || isFull) return waitForRoom(isLarge ? 1 : mostCalls);
    handOn();
    return undefined;
  };
}

/** Under way at once; the next message waits in the client's pipe. */
const mostCalls = 32;
/** A message that is larger is read while no call is under way. */
const largeMessageBytes = 1024 * 1024;
/** Answers that the client has not yet read. */
const mostWaitingBytes = 4 * 1024 * 1024;

/** How many files the session remembers, as seed 2 bounds its cache. */
const remembered = 200;

function sessionOf(flags: Flags): Partial<OpenWorkspaceOptions> {
  const { overwriteGuard, editGuard, strictView } = flags;
  // The official server's answers have no place for what others changed.
  const { onMismatch = flags.compat === undefined ? "rebase" : undefined } = flags;
  return {
    limits: flags.compat === undefined ? {} : compatLimits,
    remembered,
    allowWideRoot: flags.allowWideRoot === true,
    memoryPaths: flags.memoryPaths ?? [],
    rereadStub: flags.rereadStub === true,
    guards: {
      ...defined({ overwriteGuard, editGuard, onMismatch, strictView }),
      inPlace: { way: inPlaceWay },
    },
  };
}

const inPlaceWay = " A person can have it written in place: holdfast mcp --in-place auto.";

/** The official server reads files of any size at once; here there is an end, but a late one. */
const compatLimits = { fullReadBytes: 10 * 1024 * 1024 };

/** The answer to a message that is too long to be read: without one the client would wait for its time limit. */
function refuseTooLong(id: string | number | null): void {
  const message = `The message is longer than ${messageLimitBytes} bytes; nothing was done.`;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32600, message } })}\n`);
}

function namedTools(
  names: string | undefined,
  misuse: Invocation["misuse"],
): readonly ToolName[] | undefined {
  if (names === undefined) return undefined;
  // Other vendors' tools stand in for ours, never beside them: they are named one by one.
  if (names === "all") return toolNames.filter((name) => !dialectTools.some((tool) => tool.name === name));
  return names.split(",").map((name) => {
    const tool = toolNames.find((known) => known === name.trim());
    if (tool === "apply_edit")
      misuse("apply_edit needs an applier, which only a program that embeds us can give");
    return tool ?? misuse(`there is no tool ${JSON.stringify(name)}; the tools are ${toolNames.join(", ")}`);
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * For a server: lets the file tools have the last large file's memory collected before they read the next one
 * (`globalThis.gc`, which Node gives with a flag). V8 collects by what is on its heap; the bytes of a file lie
 * beside it, so that two large files would be held at once.
 */
function letCollect(): void {
  if (globalThis.gc !== undefined) return;
  // Made when it is asked for: a context costs more than a hundredth of a start.
  Object.defineProperty(globalThis, "gc", { configurable: true, get: collector });
}

function collector(): NodeJS.GCFunction {
  setFlagsFromString("--expose-gc");
  // A cast: a new context has the function by the flag, which the compiler cannot know.
  const value = runInNewContext("gc") as NodeJS.GCFunction;
  setFlagsFromString("--no-expose-gc");
  Object.defineProperty(globalThis, "gc", { value });
  return value;
}
