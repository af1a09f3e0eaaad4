import { span } from "@holdfast/agent/shown";
import type { WholeText } from "./update.js";

const keys: readonly (readonly [key: string, does: string])[] = [
  ["Enter", "sends; a model at work reads it after this step"],
  ["Alt+Enter", "sends after the turn; if idle, breaks the line"],
  ["Shift+Enter, Ctrl+J, \\ Enter", "break the line"],
  ["Esc", "ends the turn; closes what is offered"],
  ["Ctrl+C", "clears the input, ends the turn; twice leaves"],
  ["Ctrl+D", "leaves, where the input is empty"],
  ["Shift+Tab", "the mode: plan, ask, auto-edit, yolo"],
  ["Esc Esc", "the tree at your last prompt: rewind, edit"],
  ["/history view", "the tree of the conversation"],
  ["/changes", "the states of each file"],
  ["/context", "what fills the prompt"],
  ["Ctrl+V", "an image from the clipboard"],
  ["Ctrl+_", "takes back what was typed"],
  ["Ctrl+O", "outputs, results, thoughts, sub-agents whole"],
  ["@", "names a file, a folder, a page; Tab chooses"],
  ["/", "begins a command; /help lists them"],
  ["!", "runs a command of the shell"],
  ["Tab", "completes"],
  ["Up, Down", "what was sent before; Ctrl+R searches it"],
  ["Ctrl+G", "opens the input in $EDITOR"],
  ["Ctrl+A E B F, Alt+B F", "move by line, letter, word"],
  ["Ctrl+W U K Y, Alt+D", "delete a word or part of a line; put it back"],
  ["Ctrl+L", "draws the screen anew"],
  ["Ctrl+Z", "stops the program; fg goes on with it"],
];

const width = Math.max(...keys.map(([key]) => key.length)) + 2;

/** What can be done with the keyboard. */
export const keysHelp: WholeText = {
  title: [span("Keys")],
  lines: keys.map(([key, does]) => [span(key.padEnd(width), "accent"), span(does)]),
};
