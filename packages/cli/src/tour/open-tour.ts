import { mkdirSync } from "node:fs";
import { type AskPerson, defaultSettings } from "@holdfast/agent";
import type { ModelPort } from "@holdfast/core/context";
import { type NoRun, type OpenedRun, openRunWith } from "../agent/open-run.js";
import type { Terminal } from "../shell/terminal.js";

/** What a tour is opened with. */
interface TourParts {
  readonly folder: string;
  readonly stateDir: string;
  readonly terminal: Terminal;
  readonly model: ModelPort;
  readonly ask: AskPerson;
}

/**
 * The agent as `holdfast agent` opens it, on a new folder and with the default settings: what this machine is set up with
 * plays no part, so that the tour is the same everywhere.
 */
export function openTour(parts: TourParts): Promise<OpenedRun | NoRun> {
  const { folder, stateDir, terminal, model, ask } = parts;
  mkdirSync(folder);
  return openRunWith({
    call: {
      args: [],
      flags: { root: [folder] },
      settings: { roots: [folder], stateDir, json: false, allowProtected: [] },
      terminal,
      misuse: (message) => {
        throw new Error(message);
      },
    },
    prompt: "The tour",
    ask,
    found: { kind: "settings", settings: defaultSettings, notices: [], stateDir },
    model: { kind: "model", port: model, name: `${model.target.provider}/${model.target.model}` },
  });
}
