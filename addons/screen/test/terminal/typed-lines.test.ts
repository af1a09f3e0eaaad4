import { describe, expect, it } from "vitest";
import type { Key } from "../../src/input/keys.js";
import { TypedInput, waitingQuestion } from "../../src/terminal/typed-input.js";
import {
  type Keyboard,
  type KeyboardEvents,
  type Question,
  type SentLine,
  TypedLines,
} from "../../src/terminal/typed-lines.js";

/** Lines as a keyboard reports them, and what it is told. */
function typing() {
  const asked: (Question | undefined)[] = [];
  const waiting: SentLine[] = [];
  let events: KeyboardEvents | undefined;
  const lines = new TypedLines(
    () => ({ end() {} }),
    (given) => {
      events = given;
      return {
        // A cast: of a terminal, what is called.
        terminal: { out: async () => {} } as unknown as Keyboard["terminal"],
        ask: (question) => void asked.push(question),
        waiting: (texts) => void waiting.push(...texts),
        takeBack: () => {},
        echo: () => {},
        close: () => {},
      };
    },
  );
  const sendAs = (isAnswer: boolean, ...texts: readonly string[]) =>
    events?.onLines(texts.map((text) => ({ text, shown: text, steers: true, isAnswer })));
  const send = (...texts: readonly string[]) => sendAs(true, ...texts);
  return { lines, asked, waiting, send, sendAs };
}

describe("a line that was begun before a question", () => {
  it("is a message, of which the question hears nothing", async () => {
    const { lines, asked, send, sendAs } = typing();
    await lines.cancellable(async () => {
      const answer = lines.answer("Do it? ");
      sendAs(false, "y");
      // It is asked still.
      expect(asked.at(-1)).toEqual({ wants: "answer", label: "Do it? ", isSecret: false });
      expect(lines.steer()).toBe("y");
      sendAs(false, "/help");
      expect(lines.steer()).toBeUndefined();
      send("n");
      expect(await answer).toBe("n");
    });
    expect(await lines.prompt()).toBe("/help");
  });
});

describe("what is typed while a question opens", () => {
  const question = { wants: "answer", label: "Do it? " } as const;
  const text = (letters: string): Key => ({ kind: "text", text: letters });
  const enter: Key = { kind: "chord", chord: "enter" };
  const typed = () =>
    new TypedInput(
      async () => ({ from: 0, candidates: [] }),
      undefined,
      () => {},
      false,
    );

  it("stays a message, until the line is empty and no key came for a while", () => {
    const input = typed();
    input.key(text("hal"));
    input.ask(question);
    expect([input.listen(10_000), input.isAnswer, input.shown(undefined)]).toMatchObject([
      ...[undefined, false],
      { label: "> ", hint: waitingQuestion, isQuestion: false },
    ]);
    input.key(text("t"));
    const wish = input.key(enter);
    expect(wish).toEqual({ kind: "send", text: "halt" });
    if (wish?.kind === "send") expect(input.sent(wish, "halt")).toMatchObject({ isAnswer: false });
    expect([input.listen(0), input.listen(349), input.isAnswer]).toEqual([350, 1, false]);
    expect([input.listen(350), input.isAnswer]).toEqual([undefined, true]);
    expect(input.shown(undefined)).toMatchObject({ label: "Do it? ", isQuestion: true });
    input.key(text("y"));
    const answer = input.key(enter);
    if (answer?.kind === "send") expect(input.sent(answer, "y")).toMatchObject({ text: "y", isAnswer: true });
    expect(answer?.kind).toBe("send");
  });

  it("is no part of a secret that is shown", () => {
    const input = typed();
    input.ask({ ...question, isSecret: true });
    input.key(text("sk-1"));
    expect([input.text, input.listen(400), input.isAnswer]).toEqual(["", undefined, true]);
  });
});

describe("a secret that is typed", () => {
  it("is no line for the model where it came with others, nor where it came twice", async () => {
    const { lines, asked, waiting, send } = typing();
    const key = lines.answer("Key: ", undefined, true);
    send("sk-1", "");
    send("sk-1");
    expect(await key).toBe("sk-1");
    // It is tried out, and pasted once more meanwhile.
    expect(asked.at(-1)).toEqual({ wants: "answer", label: "", isSecret: true });
    send("sk-1");
    expect(waiting).toEqual([]);
    const prompt = lines.prompt();
    send("Hello.");
    expect(await prompt).toBe("Hello.");
  });

  it("is over with the next work: lines are for the model again", async () => {
    const { lines, asked, send } = typing();
    const key = lines.answer("Key: ", undefined, true);
    send("sk-1");
    await key;
    await lines.cancellable(async () => {
      expect(asked.at(-1)).toBeUndefined();
      send("Use tabs.");
      expect(lines.steer()).toBe("Use tabs.");
    });
  });
});
