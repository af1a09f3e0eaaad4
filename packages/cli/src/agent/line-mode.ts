import {
  type AgentSettings,
  type AskedBack,
  type AskPerson,
  agentExitCodes,
  approvalModes,
  type CommandHost,
  type CommandResult,
  committedTexts,
  describeResult,
  pastOf,
  readTyped,
  runCommand,
  themes,
  type WantedSession,
} from "@holdfast/agent";
import type { ConversationContext } from "@holdfast/core/conversation";
import { defined, escapeText } from "@holdfast/core/text";
import { windowSize } from "../shell/frames.js";
import type { Terminal } from "../shell/terminal.js";
import { askIn, editHere, themeFor } from "./ask-list.js";
import { systemClipboard } from "./clipboard.js";
import { type CommandPorts, commandHost, sessionWanted } from "./command-host.js";
import { completeLine, nothingAt } from "./complete-line.js";
import { type OpenedRun, turnInput } from "./open-run.js";
import { plainKeyboard } from "./plain-keyboard.js";
import { Screen, type ScreenOptions } from "./screen.js";
import { titleOf } from "./session.js";
import { staleFiles, statusFacts } from "./status-facts.js";
import type { Completer } from "./typed-input.js";
import { hasKeys, TypedLines } from "./typed-lines.js";
import { treeAtPrompt, windowOf } from "./windows.js";
import { type TurnText, writtenText } from "./written-text.js";

/** How talking ended: the person left, or goes on with another session. */
type TalkEnd =
  | { readonly kind: "left"; readonly exitCode: number }
  /** `id`: of a stored session; a new one without it. */
  | { readonly kind: "session"; readonly id: string | undefined };

/** A terminal to talk in: a screen, or line by line. */
export interface TalkTerminal extends Pick<TypedLines, "answer" | "prompt"> {
  /** What is said here does not disturb what is being typed. */
  readonly terminal: Terminal;
  readonly ask: AskPerson;
  /** Shows what was said up to the head and is not shown yet. */
  past(context: ConversationContext): Promise<void>;
  /** Talks until the person leaves or changes the session. @param first what is said to begin with. */
  talk(run: OpenedRun, ports: CommandPorts, first?: string): Promise<TalkEnd>;
  close(): void;
}

interface TalkOptions extends Pick<ScreenOptions, "terminal" | "stateDir"> {
  readonly ui: NonNullable<AgentSettings["ui"]>;
}

/** Opens the terminal; its question about changes is handed to the agent before there is a run. */
export function openTalk({ terminal: streams, stateDir, ui }: TalkOptions): TalkTerminal {
  const { reading: isRead = false, notify = "bell", theme = "ansi", editing = "emacs", keys = {} } = ui;
  const look = { theme: streams.errHasColor ? themes[theme] : themes.mono, isRead, notify };
  const clipboard = systemClipboard();
  const typing = { vi: editing === "vi", keys, clipboard };
  let open: OpenedRun | undefined;
  let shown: TurnText | undefined;
  let screen: Screen | undefined;
  const completer: Completer = async (text) => {
    const { from, candidates } = await completeLine(text, open).catch(() => nothingAt(text));
    return [candidates, text.slice(from)];
  };
  const lines = new TypedLines((events) => {
    if (!hasKeys()) return plainKeyboard(streams, events);
    screen = new Screen({ terminal: streams, stateDir, completer, ...look, ...typing }, events);
    return screen;
  });
  const { terminal } = lines;
  const ask = askIn({
    show: (text) => void terminal.out(text),
    theme: streams.errHasColor ? look.theme : themeFor(false),
    edit: (text, name, signal) => screen?.edit(text, name, signal) ?? editHere(text, name, signal),
    diff: () => (isRead ? {} : (screen?.diff ?? {})),
    answer: (question, signal) => lines.answer(question, signal),
    size: () => (process.stdout.isTTY ? windowSize() : undefined),
  });
  const show = async (line: string, host: CommandHost) => {
    const modal = isRead || screen === undefined ? undefined : windowOf(line, host, windowSize().columns);
    if (modal !== undefined) await screen?.show(modal);
    return modal !== undefined;
  };
  let known: ReadonlySet<string> | undefined;
  const past: TalkTerminal["past"] = async (context) => {
    const { finished, ...next } = pastOf(context, known);
    known = next.known;
    const { columns } = windowSize();
    const theme = screen === undefined ? themeFor(streams.errHasColor) : look.theme;
    const texts = committedTexts(finished, columns, theme);
    await terminal.out(texts.map((text) => `${text}\n`).join(""));
  };
  return {
    terminal,
    past,
    prompt: () => lines.prompt(),
    answer: (label, signal, isSecret) => lines.answer(label, signal, isSecret),
    ask: (list, signal) => (shown === undefined ? ask(list, signal) : shown.aside(() => ask(list, signal))),
    talk: async (run, ports, first) => {
      open = run;
      const host = commandHost(run, ports);
      const facts = () => statusFacts(run, host);
      const stale = () => staleFiles(run);
      const shows = { facts, stale, commands: run.commands, tree: () => treeAtPrompt(host) };
      if (!isRead) screen?.attach({ ...shows, nextMode: () => nextMode(run) });
      const written = () => (shown = (isRead ? undefined : screen?.turn()) ?? writtenText(terminal, "talk"));
      await past(run.conversation.manager.context);
      // Opened once more, it is shown once more: what was said meanwhile is far above.
      known = undefined;
      const withImages = { ...run, resources: clipboard.within(run.resources) };
      return talk(lines, { run: withImages, terminal, host, written, show }, first).finally(() => {
        open = undefined;
        screen?.attach(undefined);
      });
    },
    close: () => lines.close(),
  };
}

function nextMode({ agent }: OpenedRun): void {
  const next = approvalModes[(approvalModes.indexOf(agent.mode) + 1) % approvalModes.length];
  if (next !== undefined) agent.setMode(next);
}

interface Talking {
  readonly run: OpenedRun;
  readonly terminal: Terminal;
  readonly host: CommandHost;
  /** Where the next turn is written. */
  readonly written: () => TurnText;
  /** Shows what a command has a window for. @returns whether it has. */
  readonly show: (line: string, host: CommandHost) => Promise<boolean>;
}

async function talk(lines: TypedLines, talking: Talking, first?: string): Promise<TalkEnd> {
  const { run, terminal } = talking;
  const { agent, model } = run;
  await terminal.out(
    `${model.name}, ${agent.mode}. /help lists commands; Ctrl-D leaves; Ctrl-C ends a turn.\n`,
  );
  let text = first;
  if (text !== undefined) await terminal.out(`> ${escapeText(text)}\n`);
  for (;;) {
    text ??= await lines.prompt();
    if (text === undefined) return left;
    const words = text;
    const end = await lines.cancellable((signal) => said(words, lines, { ...talking, signal }));
    if (end !== undefined) return end;
    text = undefined;
  }
}

const left: TalkEnd = { kind: "left", exitCode: agentExitCodes.success };

type Saying = Talking & { readonly signal: AbortSignal };

/** One line: a command, or a turn. @returns how talking ends by it. */
async function said(text: string, lines: TypedLines, saying: Saying): Promise<TalkEnd | undefined> {
  const { host, terminal, show } = saying;
  if (await show(text, host)) return undefined;
  const result = await commanded(text, saying);
  if (result === undefined) return turn(text, lines, saying);
  const words = describeResult(result);
  if (words !== "") await terminal.out(`${escapeText(words)}\n`);
  return after(result, lines, saying);
}

/** A command that takes a while is shown while it runs, as the calls of the model are. */
async function commanded(
  text: string,
  { host, signal, written }: Saying,
): Promise<CommandResult | undefined> {
  const typed = readTyped(text, host.prompts);
  if (typed.kind !== "shell" && typed.kind !== "command") return runCommand(text, { ...host, signal });
  const output = written();
  const call =
    typed.kind === "shell"
      ? { name: "run_shell_command", args: { command: typed.text } }
      : { name: text, args: {} };
  const begin = () => output.onEvent({ kind: "call_begun", callId: text, ...call });
  const timer = setTimeout(begin, quickMs);
  const progress: CommandHost["progress"] = (words, program) =>
    output.onEvent({ kind: "call_progress", callId: text, text: words, ...defined({ program }) });
  return runCommand(text, { ...host, signal, progress }).finally(() => {
    clearTimeout(timer);
    output.end();
  });
}

/** What is over by then needs no sign of life. */
const quickMs = 200;

async function after(result: CommandResult, lines: TypedLines, saying: Saying): Promise<TalkEnd | undefined> {
  switch (result.kind) {
    case "told":
    case "refused":
      return undefined;
    case "prompt":
      return turn(result.text, lines, saying);
    case "question":
      return choose(result, lines, saying);
    case "quit":
      return left;
    case "session": {
      const id = await sessionWanted(result.session, saying.run);
      if (typeof id !== "object") {
        await saying.terminal.out(`${placeWords(result.session, id, saying.run.conversation.session.id)}\n`);
        return { kind: "session", id };
      }
      await saying.terminal.out(`${escapeText(id.message)}\n`);
      return undefined;
    }
    default:
      return result satisfies never;
  }
}

/** Where the person is from now on. */
function placeWords({ kind }: WantedSession, id: string | undefined, before: string): string {
  const left = `Session ${before} is kept; /resume goes back to it.`;
  if (id === undefined) return `A new session begins. ${left}`;
  return `You are in session ${id} now${kind === "fork" ? `, a copy of ${before}` : ""}. ${left}`;
}

async function choose(
  { choices }: AskedBack,
  lines: TypedLines,
  saying: Saying,
): Promise<TalkEnd | undefined> {
  const words = choices.map(({ word }) => word).join(", ");
  const given = (await lines.answer(`${words}, or nothing: `, saying.signal)) ?? "";
  const chosen = choices.find(
    ({ word }) => given.trim() !== "" && word.startsWith(given.trim().toLowerCase()),
  );
  if (chosen !== undefined) return said(chosen.line, lines, saying);
  await saying.terminal.out("Nothing was done.\n");
  return undefined;
}

async function turn(text: string, lines: TypedLines, { run, written, signal }: Saying): Promise<undefined> {
  const { agent, conversation } = run;
  const { manager } = conversation;
  // A session that begins without a prompt is named by the first words said in it.
  if ((manager.context.title ?? "") === "") manager.setTitle(titleOf(text));
  const output = written();
  const input = await turnInput(run, text, output.notice, signal);
  const steer = async () => {
    const said = lines.steer();
    return said === undefined ? undefined : turnInput(run, said, output.notice, signal);
  };
  output.end(await agent.turn(input, { signal, onEvent: output.onEvent, steer }));
  return undefined;
}
