import { createInterface } from "node:readline";
import { answerAfterMs, type Streams } from "@holdfast/agent/ui";
import { counted, escapeForPeople } from "@holdfast/core/text";
import type { Keyboard, KeyboardEvents, Question } from "./typed-lines.js";

/** Lines as the terminal's driver gives them, for one that cannot move its cursor: the driver shows and edits them. */
export function plainKeyboard(terminal: Streams, { onLines, onLeave }: KeyboardEvents): Keyboard {
  const { stdin } = process;
  let together: string[] = [];
  let asked: Question | undefined;
  // Of a terminal a line comes whole, but for one that was begun before a question. A script answers when it likes.
  let [cameMs, listensMs, isBegun, wasBegun] = [0, 0, false, false];
  let timer: NodeJS.Timeout | undefined;
  stdin.on("data", (bytes: Uint8Array) => {
    cameMs = Date.now();
    wasBegun = isBegun;
    isBegun = stdin.isTTY && bytes.at(-1) !== lineFeed;
  });
  const lines = createInterface({ input: stdin, terminal: false });
  lines.on("line", (line) => {
    // Lines of one round of the event loop were pasted.
    if (together.push(line) > 1) return;
    const isAnswer = !wasBegun && cameMs >= listensMs;
    setImmediate(() => {
      const taken = together.map((text) => ({ text, shown: escapeForPeople(text), steers: true, isAnswer }));
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
      clearTimeout(timer);
      if (question === undefined) return;
      const isTyped = stdin.isTTY && question.wants === "answer";
      // The driver hands over what was begun.
      if (isTyped) stdin.setRawMode(true).setRawMode(false);
      const inMs = isTyped ? Math.max(0, cameMs + answerAfterMs - Date.now()) : 0;
      listensMs = Date.now() + inMs;
      if (inMs === 0) process.stdout.write(question.label);
      else timer = setTimeout(() => process.stdout.write(question.label), inMs);
    },
    waiting: () => {},
    takeBack: ({ length }) => {
      if (length > 0) process.stdout.write(`${counted(length, "further line")} given up.\n`);
    },
    echo: ({ label }, { shown }, isEarly) => {
      if (isEarly) process.stdout.write(`${label}${shown}\n`);
    },
    close: () => lines.close(),
  };
}

const lineFeed = 0x0a;
