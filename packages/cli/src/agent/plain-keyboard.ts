import { createInterface } from "node:readline";
import { escapeName, type Terminal } from "../shell/terminal.js";
import type { Keyboard, KeyboardEvents, Question } from "./typed-lines.js";

/** Lines as the terminal's driver gives them, for one that cannot move its cursor: the driver shows and edits them. */
export function plainKeyboard(terminal: Terminal, { onLines, onLeave }: KeyboardEvents): Keyboard {
  const lines = createInterface({ input: process.stdin, terminal: false });
  let together: string[] = [];
  let asked: Question | undefined;
  lines.on("line", (line) => {
    // Lines of one round of the event loop were pasted.
    if (together.push(line) > 1) return;
    setImmediate(() => {
      const taken = together.map((text) => ({ text, shown: escapeName(text), steers: true }));
      together = [];
      const isNothing = asked?.wants === "prompt" && taken.every(({ text }) => text.trim() === "");
      if (isNothing) process.stdout.write(asked?.label ?? "");
      else onLines(taken);
    });
  });
  lines.on("close", onLeave);
  return {
    terminal,
    ask: (question) => {
      asked = question;
      if (question !== undefined) process.stdout.write(question.label);
    },
    waiting: () => {},
    takeBack: ({ length }) => {
      if (length > 0) process.stdout.write(`${length} further line${length === 1 ? "" : "s"} given up.\n`);
    },
    echo: ({ label }, { shown }, isEarly) => {
      if (isEarly) process.stdout.write(`${label}${shown}\n`);
    },
    close: () => lines.close(),
  };
}
