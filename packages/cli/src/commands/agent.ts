import { agentExitCodes, exitCodeOfTurn, nobody, type RunOutput, runOutput } from "@holdfast/agent";
import { lineMode, type NoRun, type OpenedRun, openRun, turnInput } from "../agent/index.js";
import { escapeText, type Invocation, readInputText, watchedByWork } from "../shell/index.js";

/** `holdfast agent`: one prompt without a screen, or line by line in a terminal. */
export async function agentCommand(call: Invocation): Promise<number> {
  const { flags, misuse } = call;
  if (flags.fork === true && flags.continue !== true && flags.resume === undefined)
    return misuse("--fork goes with --continue or --resume");
  if (flags.ephemeral === true && (flags.continue === true || flags.resume !== undefined))
    return misuse("--ephemeral keeps no session, so none can be gone on with");
  if (flags.orTour === true && !(process.stdin.isTTY && call.terminal.outIsTerminal)) return tour(call);
  const prompt = await promptOf(call);
  if (typeof prompt === "string" && prompt.trim() === "") {
    call.terminal.err("holdfast: there is nothing to do: the prompt is empty.\n");
    return agentExitCodes.input;
  }
  return prompt === undefined ? inTerminal(call) : withoutScreen(call, prompt);
}

/** The user's words; undefined where they come line by line. */
async function promptOf({ flags, args: [argument] }: Invocation): Promise<string | undefined> {
  const asked = flags.prompt ?? argument;
  if (process.stdin.isTTY) return asked;
  // Nothing may be waited for that nobody sends: a prompt of its own needs no input.
  const input = await readInputText("-");
  const piped = typeof input === "string" ? input : "";
  if (asked === undefined) return piped;
  return piped.trim() === "" ? asked : `${piped}\n\n${asked}`;
}

async function withoutScreen(call: Invocation, prompt: string): Promise<number> {
  const run = await openRun(call, prompt, nobody);
  if (run.kind === "no_run") return refuse(call, run);
  const ending = new AbortController();
  const watched = watchedByWork(() => ending.abort());
  try {
    const output = outputOf(call, run, prompt);
    for (const notice of run.notices) output.notice(notice);
    const { signal } = ending;
    const input = await turnInput(run, prompt, output.notice, signal);
    const end = await run.agent.turn(input, { signal, onEvent: output.onEvent });
    output.end(end);
    return exitCodeOfTurn(end);
  } finally {
    watched.end();
    await run.close();
  }
}

function outputOf({ flags, terminal }: Invocation, run: OpenedRun, prompt: string): RunOutput {
  const facts = { sessionId: run.conversation.session.id, model: run.model.name, prompt };
  const isSeen = terminal.outIsTerminal;
  return runOutput(flags.outputFormat ?? "text", facts, {
    out: (text) => void terminal.out(isSeen ? escapeText(text) : text),
    err: (text) => terminal.err(escapeText(text)),
    now: Date.now,
  });
}

async function inTerminal(call: Invocation): Promise<number> {
  const lines = lineMode();
  try {
    const run = await openRun(call, "", lines.ask);
    if (run.kind === "no_run") {
      const isUnset = run.exitCode === agentExitCodes.auth;
      return call.flags.orTour === true && isUnset ? await tour(call) : refuse(call, run);
    }
    for (const notice of run.notices) call.terminal.err(escapeText(`${notice}\n`));
    try {
      return await lines.talk(run, call.terminal);
    } finally {
      await run.close();
    }
  } finally {
    lines.close();
  }
}

async function tour(call: Invocation): Promise<number> {
  const { tourCommand } = await import("./tour.js");
  return tourCommand(call);
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
