import { mkdirSync } from "node:fs";
import { withWorkspace } from "../answers/index.js";
import type { Terminal } from "../shell/index.js";
import { Talk } from "./talk.js";

/**
 * The tools as a model meets them, on a new folder, with the answers of the default wire and a conversation.
 *
 * @param play what is done with them; the folder's workspace is closed afterwards.
 */
export function withTools(
  folder: string,
  stateDir: string,
  terminal: Terminal,
  play: (talk: Talk) => Promise<number>,
): Promise<number> {
  mkdirSync(folder);
  const settings = { roots: [folder], stateDir, json: false, allowProtected: [] };
  return withWorkspace({ settings, terminal }, (workspace) => play(new Talk(workspace)));
}
