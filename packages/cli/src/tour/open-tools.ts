import { mkdirSync } from "node:fs";
import { runTool } from "@holdfast/core";
import { withWorkspace } from "../answers/index.js";
import type { Terminal } from "../shell/index.js";
import type { CallTool } from "./stage.js";

/**
 * The tools as a model meets them, on a new folder, with the answers of the default wire.
 *
 * @param play what is done with them; the folder's workspace is closed afterwards.
 */
export function withTools(
  folder: string,
  stateDir: string,
  terminal: Terminal,
  play: (call: CallTool) => Promise<number>,
): Promise<number> {
  mkdirSync(folder);
  const settings = { roots: [folder], stateDir, json: false, allowProtected: [] };
  return withWorkspace({ settings, terminal }, (workspace) =>
    play((tool, args) => runTool(tool, args, { workspace, wire: "text", resultContent: "auto" })),
  );
}
