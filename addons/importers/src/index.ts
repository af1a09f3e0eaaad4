/**
 * @holdfast/importers: sessions of other programs (pi, Claude Code, Codex, gemini-cli, opencode, Copilot CLI,
 * Qwen Code, Cline, Roo Code) as conversations.
 */
export { type Importers, openImporters } from "./machine/importers.js";
export type { ReadLines, ReadText } from "./machine/read-lines.js";
export {
  describeSessionFile,
  readSessionFile,
  readSessionInSteps,
  type SessionDescription,
} from "./read-session-file.js";
export type { ForeignFormat } from "./tree/foreign-session.js";
