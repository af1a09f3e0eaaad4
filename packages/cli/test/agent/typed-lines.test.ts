import { describe, expect, it } from "vitest";
import {
  type Keyboard,
  type KeyboardEvents,
  type Question,
  type TypedLine,
  typedLines,
} from "../../src/agent/typed-lines.js";

/** Lines as a keyboard reports them, and what it is told. */
function typing() {
  const asked: (Question | undefined)[] = [];
  const waiting: TypedLine[] = [];
  let events: KeyboardEvents | undefined;
  const lines = typedLines((given) => {
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
  });
  const send = (...texts: readonly string[]) =>
    events?.onLines(texts.map((text) => ({ text, shown: text, steers: true })));
  return { lines, asked, waiting, send };
}

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
