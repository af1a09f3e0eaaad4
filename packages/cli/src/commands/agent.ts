import {
  agentExitCodes,
  CostMeter,
  exitCodeOfCommand,
  exitCodeOfTurn,
  nobody,
  type RunOutput,
  readTyped,
  runCommand,
  runOutput,
  turnInput,
} from "@holdfast/agent";
import { askBeside, hasKeys, type TalkTerminal, writtenText } from "@holdfast/agent/ui";
import { isRefusal } from "@holdfast/core/files/values";
import { escapeText } from "@holdfast/core/text";
import { addonFor } from "../addons.js";
import { type CommandPorts, commandHost, sessionWanted } from "../agent/command-host.js";
import { type NoRun, type OpenedRun, openRun, withoutModel } from "../agent/open-run.js";
import { settingsOf } from "../agent/settings.js";
import { instructionWords } from "../agent/written.js";
import { sourcesOf } from "../config/sources.js";
import { inputBegins, readInputText } from "../shell/input.js";
import { watchedByWork, watchOutputReader } from "../shell/interrupt.js";
import type { Flags, Invocation } from "../shell/invocation.js";

/** `holdfast agent`: one prompt without a screen, or line by line in a terminal. */
export async function agentCommand(call: Invocation): Promise<number> {
  const { flags, misuse } = call;
  if (flags.fork === true && flags.continue !== true && flags.resume === undefined)
    return misuse("--fork goes with --continue or --resume");
  if (flags.ephemeral === true && (flags.continue === true || flags.resume !== undefined))
    return misuse("--ephemeral keeps no session, so none can be gone on with");
  const { prompt, promptInteractive, outputFormat } = flags;
  const first = promptInteractive ?? call.args[0];
  const isSeen = process.stdin.isTTY && call.terminal.outIsTerminal;
  if (isSeen && prompt === undefined && outputFormat === undefined && first?.trim() !== "")
    return inTerminal(call, first);
  const given = await promptOf(call);
  if (given?.text.trim() === "") return refuse(call, nothingToDo);
  return given === undefined ? inTerminal(call) : withoutScreen(call, given);
}

const nothingToDo: NoRun = {
  kind: "no_run",
  exitCode: agentExitCodes.input,
  lines: ["there is nothing to do: the prompt is empty."],
};

interface Prompt {
  /** What to do; `@` names files in it. */
  readonly text: string;
  /** What was piped in beside it: words only, whatever stands there. */
  readonly material?: string;
  /** Whether the person who runs the program wrote all of it: what is piped in may be anybody's. */
  readonly isTyped: boolean;
}

/** The user's words; undefined where they come line by line. */
async function promptOf({ flags, terminal, args: [argument] }: Invocation): Promise<Prompt | undefined> {
  const asked = flags.prompt ?? flags.promptInteractive ?? argument;
  if (process.stdin.isTTY) return asked === undefined ? undefined : { text: asked, isTyped: true };
  // A prompt of its own needs no input: what nobody sends is not waited for.
  if (asked !== undefined && !(await inputBegins(firstByteMs))) {
    terminal.err(
      `Nothing came by standard input within ${firstByteMs / 1_000} s: the prompt stands alone.\n`,
    );
    return { text: asked, isTyped: true };
  }
  const input = await readInputText("-");
  const piped = typeof input === "string" ? input : "";
  if (asked === undefined) return { text: piped, isTyped: false };
  if (piped.trim() === "") return { text: asked, isTyped: true };
  return { text: asked, material: piped, isTyped: false };
}

/** Long enough for a program that thinks before its first line. */
const firstByteMs = 3_000;

async function withoutScreen(call: Invocation, { text, material, isTyped }: Prompt): Promise<number> {
  const { flags } = call;
  const prompt = material === undefined ? text : `${material}\n\n${text}`;
  const isCommand = isTyped && isSlashCommand(prompt);
  const ending = new AbortController();
  const ask = canAsk(call) ? askBeside(() => ending.abort(), call.terminal.errHasColor) : nobody;
  const run = await openRun(call, prompt, ask, { mayLackModel: isCommand });
  if (run.kind === "no_run") return refuse(call, run);
  const watched = watchedByWork(() => ending.abort());
  const endWatch = watchOutputReader(() => {
    // Also for what is written later, when nobody watches any more.
    process.exitCode = agentExitCodes.outputClosed;
    ending.abort(outputClosed);
  });
  try {
    const output = outputOf(call, run, prompt);
    // A stream says in its first line which were read.
    const read = flags.outputFormat === "stream-json" ? [] : instructionWords(run.written);
    for (const notice of [...read, ...run.notices]) output.notice(notice);
    const { signal } = ending;
    let asked = text;
    if (isCommand) {
      const result = await runCommand(prompt, { ...commandHost(run, withoutTerminal(call)), signal });
      const { absent } = run.model;
      const needsModel =
        result?.kind === "prompt" || (result?.kind === "refused" && absent?.isAsked() === true);
      if (absent !== undefined && needsModel) return await refuse(call, withoutModel(absent.refusal));
      if (result?.kind === "prompt") {
        asked = result.text;
        if (result.message !== undefined) output.notice(result.message);
      } else if (result !== undefined) {
        output.command(result);
        // A file that it was to upload would be left behind: nobody waits for a turn here.
        await run.uploads.idle(AbortSignal.any([signal, AbortSignal.timeout(uploadMs)]));
        return endedBy(signal, exitCodeOfCommand(result));
      }
    }
    const words = await turnInput(run, asked, output.notice, signal);
    const input = material === undefined ? words : { ...words, text: `${material}\n\n${words.text}` };
    const end = await run.agent.turn(input, { signal, onEvent: output.onEvent });
    output.end(end);
    return endedBy(signal, exitCodeOfTurn(end));
  } finally {
    watched.end();
    await run.close();
    endWatch();
  }
}

/** A person sees the question on standard error, and answers by standard input. Who reads JSON is no person. */
function canAsk({ flags, terminal }: Invocation): boolean {
  return process.stdin.isTTY && terminal.errIsTerminal && (flags.outputFormat ?? "text") === "text";
}

/** Also one that there is not. A command of the shell is run for nobody who does not see it. */
function isSlashCommand(prompt: string): boolean {
  const { kind } = readTyped(prompt);
  return kind === "command" || kind === "unknown";
}

/** Why a run was ended, where no person did it. */
const outputClosed = "standard output was closed";

function endedBy({ reason }: AbortSignal, exitCode: number): number {
  return exitCode === agentExitCodes.cancelled && reason === outputClosed
    ? agentExitCodes.outputClosed
    : exitCode;
}

/** How long a command that began an upload waits for it at most. */
const uploadMs = 60_000;

function outputOf({ flags, terminal }: Invocation, run: OpenedRun, prompt: string): RunOutput {
  const format = flags.outputFormat ?? "text";
  if (format === "text") return writtenText(terminal, terminal.errIsTerminal ? "watch" : "notices");
  const { agent, conversation, model, root: folder } = run;
  const facts = {
    sessionId: conversation.session.id,
    model: model.name,
    prompt,
    tools: agent.tools.offered.map(({ name }) => name),
    mode: agent.mode,
    folder,
    instructions: run.written.instructions.map(({ path }) => path),
    includesPartial: flags.includePartial === true || flags.includePartialMessages === true,
  };
  const isSeen = terminal.outIsTerminal;
  return runOutput(format, facts, {
    out: (text) => void terminal.out(isSeen ? escapeText(text) : text),
    err: (text) => terminal.err(escapeText(text)),
    now: Date.now,
  });
}

/** @param first what is said to begin with. */
async function inTerminal(given: Invocation, first?: string): Promise<number> {
  const found = sourcesOf(given);
  const isKept = !isRefusal(found) && given.flags.ephemeral !== true;
  const lines = await openedTalk(given, isKept ? found.stateDir : undefined);
  const call = { ...given, terminal: { ...given.terminal, ...lines.terminal } };
  let kept: string | undefined;
  try {
    let { flags } = call;
    let words = first;
    if (process.stdin.isTTY) await (await import("../config/trust.js")).askTrust(call, lines);
    // A limit of cost is one of the run, whichever sessions it goes through.
    const meter = new CostMeter();
    for (;;) {
      const run = await openRun({ ...call, flags }, "", lines.ask, { meter, isTalk: true });
      if (run.kind === "no_run") {
        const mayTry =
          canSetUp(run) && (await (await import("../agent/first-run.js")).setUpModel(call, lines, run.lines));
        if (mayTry) continue;
        if (run.held === undefined) return await refuse(call, run);
        const { readAlong } = await import("../agent/read-along.js");
        words = await readAlong({ ...run, held: run.held }, lines, words);
        if (words === undefined) return agentExitCodes.success;
        // Another program may have begun a later session of this folder meanwhile.
        flags = goingOnWith(run.held.id, flags);
        continue;
      }
      for (const notice of [...instructionWords(run.written), ...run.notices])
        call.terminal.err(escapeText(`${notice}\n`));
      const host = commandHost(run, portsOf(call));
      const end = await lines
        .talk(run, { host, enter: (wanted) => sessionWanted(wanted, run) }, words)
        .finally(() => run.close());
      const { manager, session } = run.conversation;
      kept = isKept && manager.getCurrentNode().depth > 0 ? session.id : undefined;
      if (end.kind === "left") return end.exitCode;
      words = undefined;
      // The other session has a model and an effort of its own.
      const { model: _, effort: __, ...others } = flags;
      flags = goingOnWith(end.id, end.id === undefined ? flags : others);
    }
  } finally {
    lines.close();
    if (kept !== undefined && hasKeys())
      given.terminal.err(`\`holdfast -r ${kept}\` goes on with this conversation.\n`);
  }
}

/** The same flags for another session; undefined for a new one. */
function goingOnWith(id: string | undefined, flags: Flags): Flags {
  const { continue: _, fork: __, sessionId: ___, resume: ____, ...kept } = flags;
  return id === undefined ? kept : { ...kept, resume: id };
}

/** A run that nobody sees loads nothing of this. */
async function openedTalk(call: Invocation, stateDir: string | undefined): Promise<TalkTerminal> {
  const { openTalk } = await addonFor("screen", call.misuse);
  const found = await settingsOf(call);
  const { ui = {} } = found.kind === "settings" ? found.settings : {};
  return openTalk({ terminal: call.terminal, stateDir, ui, watchInterrupt: watchedByWork });
}

/** Whether a person who has no key can be asked for one. */
function canSetUp({ exitCode }: NoRun): boolean {
  return exitCode === agentExitCodes.auth && hasKeys();
}

/** What the slash commands need of the program's other commands, each loaded when it is asked for. */
function portsOf(call: Invocation): CommandPorts {
  return {
    settings: async (sections) => (await import("../config/list.js")).settingLines(call, sections),
    trust: async (answer) => (await import("../config/trust.js")).trustLines(call, answer),
    addRule: async (rule) => (await import("../config/set.js")).addOwnRule(call, rule),
    doctor: async () => (await import("./doctor.js")).doctorLines(call),
    exportAs: async (form, { store, stateDir, conversation }) =>
      (await import("./history.js")).exportedText(form, { store, stateDir, id: conversation.session.id }),
    // OSC 52: the terminal keeps the clipboard, also across ssh.
    copy: async (text) => {
      process.stdout.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
    },
  };
}

/** A clipboard is a terminal's. */
function withoutTerminal(call: Invocation): Omit<CommandPorts, "copy"> {
  const { copy: _, ...ports } = portsOf(call);
  return ports;
}

async function refuse({ terminal, flags }: Invocation, { exitCode, lines }: NoRun): Promise<number> {
  process.exitCode = exitCode;
  if (flags.outputFormat === "json" || flags.outputFormat === "stream-json") {
    const error = { type: "no_run", message: lines.join("\n") };
    const kind = flags.outputFormat === "json" ? {} : { type: "result" };
    await terminal.out(`${JSON.stringify({ ...kind, status: "error", exit_code: exitCode, error })}\n`);
  }
  for (const line of lines) terminal.err(escapeText(`holdfast: ${line}\n`));
  return exitCode;
}
