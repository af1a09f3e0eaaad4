import {
  agentExitCodes,
  type CommandHost,
  describeResult,
  readTyped,
  runCommand,
  titleOf,
  turnInput,
  type WantedSession,
} from "@holdfast/agent";
import { editText } from "@holdfast/agent/host";
import { type AskedBack, type CommandResult, themes } from "@holdfast/agent/shown";
import {
  askIn,
  hasKeys,
  type Streams,
  type TalkEnd,
  type TalkOptions,
  type TalkPorts,
  type TalkRun,
  type TalkTerminal,
  type TurnText,
  windowSize,
  writtenText,
} from "@holdfast/agent/ui";
import { defined, escapeText } from "@holdfast/core/text";
import { completeLine } from "../input/complete.js";
import { pastOf, placeAfter } from "../screen/past.js";
import { committedTexts, prose } from "../screen/rows.js";
import { systemClipboard } from "./clipboard.js";
import { plainKeyboard } from "./plain-keyboard.js";
import { Screen } from "./screen.js";
import { TypedLines } from "./typed-lines.js";

/** Opens the terminal; its question about changes is handed to the agent before there is a run. */
export function openTalk(options: TalkOptions): TalkTerminal {
  const { terminal: streams, ui, watchInterrupt } = options;
  const theme = streams.errHasColor ? themes[ui.theme ?? "ansi"] : themes.mono;
  const clipboard = systemClipboard();
  let open: TalkRun | undefined;
  let shown: TurnText | undefined;
  let screen: Screen | undefined;
  const lines = new TypedLines(watchInterrupt, (events) => {
    if (!hasKeys()) return plainKeyboard(streams, events);
    const none = (text: string) => ({ from: text.length, candidates: [] });
    const completer = (text: string) => completeLine(text, open).catch(() => none(text));
    screen = new Screen({ ...options, theme, completer, clipboard }, events);
    return screen;
  });
  const { terminal } = lines;
  const ask = askIn({
    show: (text) => void terminal.out(text),
    theme: streams.errHasColor ? theme : themes.plain,
    edit: (text, name, signal) => screen?.edit(text, name, signal) ?? editText({ text, name, signal }),
    diff: () => screen?.diff ?? {},
    answer: (question, signal) => lines.answer(question, signal),
    size: () => (process.stdout.isTTY ? windowSize() : undefined),
  });
  // A pipe, and who hears the text, get lines as they are.
  const columns = () =>
    ui.reading === true || !process.stdout.isTTY ? Number.POSITIVE_INFINITY : windowSize().columns;
  let known: ReadonlySet<string> | undefined;
  const past: TalkTerminal["past"] = async (context) => {
    const { finished, ...next } = pastOf(context, known);
    known = next.known;
    const plain = streams.errHasColor ? themes.ansi : themes.plain;
    const texts = committedTexts(finished, columns(), screen === undefined ? plain : theme);
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
      const servers = () => run.resources.states?.() ?? [];
      screen?.attach({ host: ports.host, commands: run.commands, servers, waitsFor: run.waitsFor });
      const written = () => (shown = screen?.turn() ?? writtenText(terminal, "talk"));
      await past(run.conversation.manager.context);
      // Opened once more, it is shown once more: what was said meanwhile is far above.
      known = undefined;
      const withImages = { ...run, resources: clipboard.within(run.resources) };
      const opened = async (line: string) => (await screen?.opened(line)) === true;
      const broken = (text: string) => prose(text, columns());
      const talking = { ...ports, run: withImages, terminal, written, opened, prose: broken };
      return talk(lines, talking, first).finally(() => {
        open = undefined;
        screen?.attach(undefined);
      });
    },
    close: () => lines.close(),
  };
}

interface Talking extends TalkPorts {
  readonly run: TalkRun;
  readonly terminal: Streams;
  /** Where the next turn is written. */
  readonly written: () => TurnText;
  /** Opens the window that a command has. @returns whether it has one. */
  readonly opened: (line: string) => Promise<boolean>;
  /** Has what we say broken between words. */
  readonly prose: (text: string) => string;
}

async function talk(lines: TypedLines, talking: Talking, first?: string): Promise<TalkEnd> {
  const { run, terminal } = talking;
  const { agent, model } = run;
  const head = `${model.name}, ${agent.mode}. /help lists commands; Ctrl-D leaves; Ctrl-C ends a turn.`;
  await terminal.out(`${talking.prose(head)}\n`);
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
  const { terminal } = saying;
  if (await saying.opened(text)) return undefined;
  const result = await commanded(text, saying);
  if (result === undefined) return turn(text, lines, saying);
  const words = escapeText(describeResult(result));
  if (words !== "") await terminal.out(`${data.has(result.command) ? words : saying.prose(words)}\n`);
  if (result.kind === "told" && movesBack.has(result.command)) {
    const place = placeAfter(saying.host.manager.context, result.data);
    await terminal.out(`${saying.prose(escapeText(place))}\n`);
  }
  return after(result, lines, saying);
}

/** Commands after which a person wants to know where they are. */
const movesBack: ReadonlySet<string> = new Set(["history rewind", "history restore", "undo"]);

/** Commands that show what is copied as it is: outputs, differences, files. */
const data: ReadonlySet<string> = new Set(["!", "background", "diff", "memory"]);

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
      const id = await saying.enter(result.session);
      if (typeof id !== "object") {
        const words = placeWords(result.session, id, saying.run.conversation.session.id);
        await saying.terminal.out(`${saying.prose(words)}\n`);
        return { kind: "session", id };
      }
      await saying.terminal.out(`${saying.prose(escapeText(id.message))}\n`);
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
  const words = choices.map(({ word }) => `[${word[0]}]${word.slice(1)}`).join(", ");
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
  const input = await turnInput(run, text, output.notice, signal, true);
  const steer = async () => {
    const said = lines.steer();
    return said === undefined ? undefined : turnInput(run, said, output.notice, signal, true);
  };
  output.end(await agent.turn(input, { signal, onEvent: output.onEvent, steer }));
  return undefined;
}
