import { describe, expect, it } from "vitest";
import type { Key } from "../../src/input/keys.js";
import { TypedInput } from "../../src/terminal/typed-input.js";

const letters = (text: string): Key => ({ kind: "text", text });
const chord = (name: string): Key => ({ kind: "chord", chord: name });

/** An input that offers these names behind the last blank. */
function opened(names: readonly string[] = []) {
  const says = new Map(names.map((name) => [name, `about ${name}`]));
  const completer = async (text: string) => {
    const from = text.lastIndexOf(" ") + 1;
    return { from, candidates: names.filter((name) => name.startsWith(text.slice(from))), says };
  };
  const input = new TypedInput(completer, undefined, () => {}, false);
  /** Presses keys, as the screen does. @returns what was sent. */
  const press = async (...keys: readonly Key[]) => pressed(keys, true);
  const pressed = async (keys: readonly Key[], isAlone: boolean) => {
    const sent = [];
    for (const key of keys) {
      const { shownText } = input;
      const wish = input.key(key, isAlone);
      if (wish?.kind === "send" || wish?.kind === "queue") sent.push(input.sent(wish, shownText));
    }
    await input.suggest();
    return sent;
  };
  return { input, press, pressed };
}

const change = "Do it? [y]es, [n]o, [a]lways (a.txt, in this session), [e]dit: ";

/** An input in which a question listens. */
function asked(label: string, isSecret = false) {
  const all = opened();
  all.input.ask({ wants: "answer", label, isSecret });
  all.input.listen(10_000);
  return all;
}

describe("a question", () => {
  it("is answered by one key that it offers, and the Enter behind it sends nothing", async () => {
    const { press } = asked(change);
    expect(await press(letters("y"), chord("enter"))).toEqual([
      { text: "y", shown: "y", steers: false, isAnswer: true },
    ]);
  });

  it.each([
    ["a word that begins with a key, in one piece", [letters("not so"), chord("enter")], "not so"],
    [
      "a letter that it does not offer, with what follows it",
      [letters("w"), letters("y"), chord("enter")],
      "wy",
    ],
    ["a paste", [{ kind: "paste", text: "y" } as const, chord("enter")], "y"],
  ])("takes %s as words", async (_, keys, text) => {
    const { press } = asked(change);
    expect(await press(...keys)).toMatchObject([{ text, isAnswer: true }]);
  });

  it("takes no key before it listens, none of a secret, and nothing alone where a no has a key", async () => {
    const { input, press } = opened();
    input.ask({ wants: "answer", label: change });
    expect(await press(letters("y"))).toEqual([]);
    expect(await asked("[y]: ", true).press(letters("y"))).toEqual([]);
    expect(await asked(change).press(chord("enter"))).toEqual([]);
    expect(await asked("Whose key is it? ").press(chord("enter"))).toMatchObject([{ text: "" }]);
  });

  it("is answered by no key that came with others but by a whole line", async () => {
    expect(await asked(change).pressed([letters("y")], false)).toEqual([]);
    expect(await asked(change).pressed([letters("y"), chord("enter")], false)).toMatchObject([{ text: "y" }]);
  });

  it("listens behind an empty line, which is what an Enter leaves that an editor did not read", async () => {
    const { input, press } = opened();
    input.ask({ wants: "answer", label: change });
    await press(chord("ctrl-j"));
    input.listen(10_000);
    expect(await press(letters("y"))).toMatchObject([{ text: "y", isAnswer: true }]);
    expect(input.text).toBe("");
  });

  it("says how it is answered", () => {
    expect(asked(change).input.shown(undefined).hint).toMatch(/^One key answers.* the model reads/u);
    const trust = asked("Trust this folder? [y]es, [n]o: ").input;
    expect(trust.shown(undefined).hint).toBe("One key answers. Other words and Enter are a no.");
    expect(asked("Whose key is it? ").input.shown(undefined).hint).toBeUndefined();
  });
});

describe("the picker", () => {
  const models = ["a/one", "a/two", "b/three"];
  const prompted = () => {
    const all = opened(models);
    all.input.ask({ wants: "prompt", label: "> " });
    return all;
  };

  it("opens with Enter behind a command that names one thing, and Enter takes the row", async () => {
    const { input, press } = prompted();
    expect(await press(letters("/model"), chord("enter"))).toEqual([]);
    const { menu } = input.shown(undefined);
    expect(menu).toMatchObject({ candidates: models, chosen: 0 });
    expect(menu?.says?.get("a/two")).toBe("about a/two");
    expect(await press(chord("down"), chord("enter"))).toMatchObject([
      { text: "/model a/two ", shown: "/model a/two" },
    ]);
    expect(input.text).toBe("");
  });

  it("narrows as one types, and is gone with Esc: Enter then sends the line as it is", async () => {
    const { input, press } = prompted();
    await press(letters("/model"), chord("enter"));
    await press(letters("b"));
    expect(input.shown(undefined).menu?.candidates).toEqual(["b/three"]);
    expect(await press(chord("escape"), chord("enter"))).toMatchObject([{ text: "/model b" }]);
  });

  it("is no other command's: a line that may be whole is sent", async () => {
    const { press } = prompted();
    expect(await press(letters("/cost"), chord("enter"))).toMatchObject([{ text: "/cost" }]);
    expect(await press(letters("/model b/three"), chord("enter"))).toMatchObject([
      { text: "/model b/three" },
    ]);
  });
});
