import { pathTo } from "../conversation/index.js";
import {
  type ConversationContext,
  effectsOf,
  type FileEffect,
  type FileLedgerEntry,
  type LedgerCheck,
  type TurnNode,
} from "../conversation/values/index.js";
import { defined } from "../text/index.js";

/**
 * The files of a path as code knows them: each with its state, the lines that changed, and the last command that was
 * run after its last change. Written from what tools did, never from what anybody said of it.
 *
 * @param checks names of tools that run commands; a later call of one is a check where its command tests or builds.
 * @returns only files that a tool of ours changed, in the order of their first change.
 */
export function fileLedger(
  context: ConversationContext,
  headId: string,
  checks: readonly string[] = ["run_shell_command"],
): readonly FileLedgerEntry[] {
  const files = new Map<string, LedgerLine>();
  const commands = new Map<string, string>();
  for (const node of pathTo(context, headId)) {
    const { payload } = node;
    if (payload.kind === "tool_call" && checks.includes(payload.name))
      commands.set(payload.callId, commandOf(node));
    for (const effect of effectsOf(payload)) note(files, effect);
    if (payload.kind !== "tool_result" || !checks.includes(payload.name)) continue;
    const command = commands.get(payload.callId);
    if (command === undefined || !isCheck(command)) continue;
    const check: LedgerCheck = { nodeId: node.id, command, failed: payload.isError === true };
    for (const line of files.values()) line.check = check;
  }
  return [...files].flatMap(([path, line]) => (line.isOurs ? [entryOf(path, line)] : []));
}

interface LedgerLine {
  from: string | null;
  to: string | null;
  version: number | undefined;
  added: number;
  removed: number;
  isOurs: boolean;
  check: LedgerCheck | undefined;
}

function note(
  files: Map<string, LedgerLine>,
  { path, before, after, by, changes, version, from }: FileEffect,
): void {
  const known = files.get(path);
  const line = known ?? {
    from: before ?? (by === "seen" ? after : null),
    to: null,
    version: undefined,
    added: 0,
    removed: 0,
    isOurs: false,
    check: undefined,
  };
  if (known === undefined) files.set(path, line);
  const isChange = by === "tool" || (known !== undefined && known.to !== after);
  line.to = after;
  line.version = version ?? (isChange ? undefined : line.version);
  if (isChange) line.check = undefined;
  if (by === "tool") line.isOurs = true;
  for (const { added, removed } of changes ?? []) {
    line.added += added;
    line.removed += removed;
  }
  const moved = from === undefined ? undefined : files.get(from);
  if (moved !== undefined) moved.isOurs = true;
}

function entryOf(path: string, { from, to, version, added, removed, check }: LedgerLine): FileLedgerEntry {
  return {
    path,
    from,
    to,
    added,
    removed,
    ...defined({ version, check }),
  };
}

function commandOf({ payload }: TurnNode): string {
  const command = payload.kind === "tool_call" ? payload.args.command : undefined;
  return typeof command === "string" ? command.slice(0, mostCommandChars) : "";
}

const mostCommandChars = 200;

/**
 * Whether a command says something of the state of files: a test, a build, a linter. Looking at files, or moving about, does
 * not. A script with a name of its own is known by the words in it.
 */
export function isCheck(command: string): boolean {
  return command.split(/&&|\|\||[;|\n]/u).some((part) => {
    const words = part.trim().replace(/^(?:\w+=\S*\s+)+/u, "");
    const [first = ""] = words.split(/\s+/u);
    return !looks.has(first) && checks.test(words);
  });
}

/** They show something, or change what is not of the code; whatever stands behind them is the name of a file. */
const looks = new Set(
  "cat less head tail sed awk ls tree find fd grep rg ag wc file stat diff echo printf cd pwd mkdir touch cp mv rm git gh which env".split(
    " ",
  ),
);

const checks =
  /(?:^|[^a-z])(?:tests?|check|checks|verify|spec|lint|build|compile|typecheck|types|ci|tsc|vitest|jest|mocha|pytest|tox|ctest|rspec|phpunit|eslint|biome|prettier|ruff|mypy|pyright|clippy|vet|make|ninja|gradle|gradlew|mvn|javac|gcc|rustc)(?:$|[^a-z])/iu;
