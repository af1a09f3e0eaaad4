import { mkdirSync } from "node:fs";
import { defaultSettings, turnInput } from "@holdfast/agent";
import { addonFor, type TourParts, type TourRun, type TourShell } from "../addons.js";
import { commandHost } from "../agent/command-host.js";
import { type NoRun, openRunWith } from "../agent/open-run.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";

/** `holdfast tour`: the add-on plays it; this command lends it the terminal and the agent. */
export async function tourCommand(call: Invocation): Promise<number> {
  const tour = await addonFor("tour", call.misuse);
  return tour.playTour(shellOfTour(call));
}

/** What the command lends its add-on. */
export function shellOfTour(call: Invocation): TourShell {
  return {
    terminal: call.terminal,
    exitCodes,
    open: (parts) => openTour(call, parts),
  };
}

/** The agent as `holdfast agent` opens it: what this machine is set up with plays no part in a tour. */
async function openTour(call: Invocation, parts: TourParts): Promise<TourRun | NoRun> {
  const { folder, stateDir, model, ask } = parts;
  mkdirSync(folder);
  const settings = { roots: [folder], stateDir, json: false, allowProtected: [], inPlace: [] };
  const run = await openRunWith({
    call: { ...call, args: [], flags: { root: [folder] }, settings },
    prompt: "The tour",
    ask,
    found: { kind: "settings", settings: defaultSettings, notices: [], stateDir },
    model: { kind: "model", port: model, name: `${model.target.provider}/${model.target.model}` },
  });
  if (run.kind === "no_run") return run;
  return {
    kind: "run",
    agent: run.agent,
    commands: commandHost(run, {}),
    input: (words, told) => turnInput(run, words, told, new AbortController().signal),
    close: () => run.close(),
  };
}
