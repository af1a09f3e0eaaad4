/**
 * Genkit with `use: [holdfast({ root })]`. The model is scripted, so no key is needed: it edits a file, a
 * person saves the file behind its back, its next edit is refused with the fresh state, and it edits that.
 */
import { holdfast } from "@holdfast/adapters/genkit";
import { genkit } from "genkit";
import { openScene, say } from "../scene.mjs";

const scene = openScene();
const ai = genkit({});

/** What the model does in each turn: calls a tool, or says a text and is done. */
const turns = [
  () => call("list_files", {}),
  () => call("read_file", { filePath: "net.ts" }),
  () => edit("const tries = 3;", "const tries = 5;"),
  () => {
    scene.saveBehindTheModel();
    return edit("const wait = 2000;", "const wait = 2500;");
  },
  () => edit("const wait = 3000;", "const wait = 2500;"),
  () => ({ text: "Five tries, 2500 ms apart." }),
];

const model = ai.defineModel({ name: "scripted" }, async ({ messages }) => {
  for (const { toolResponse } of messages.at(-1)?.content ?? []) {
    const { output } = toolResponse ?? {};
    if (output !== undefined) scene.hear(typeof output === "string" ? output : JSON.stringify(output));
  }
  const part = turns.shift()?.() ?? { text: "" };
  return { message: { role: "model", content: [part] }, finishReason: "stop" };
});

const response = await ai.generate({
  model,
  prompt: "Make it five tries, 2500 ms apart.",
  use: [holdfast({ root: scene.root, stateDir: scene.stateDir })],
  maxTurns: 10,
});
say("the model", response.text);
scene.close();

/**
 * @param {string} oldString
 * @param {string} newString
 */
function edit(oldString, newString) {
  return call("edit_file", { filePath: "net.ts", edits: [{ oldString, newString }] });
}

/**
 * @param {string} name
 * @param {object} input
 */
function call(name, input) {
  say("the model", `${name} ${JSON.stringify(input)}`);
  return { toolRequest: { name, ref: name, input } };
}
