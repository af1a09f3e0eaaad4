/**
 * One call of Genkit's `generate` in a process of its own: a scripted model reads the file once and then
 * changes it once for each round that the parent asks for. What a round cost, from the model's request to
 * the next call of the model, is told over IPC. `bench/genkit/measure.mjs` starts it.
 *
 *     node player.mjs TOOLS ROOT STATE_DIR LINES KIND
 */
import { once } from "node:events";
import { argv } from "node:process";
import { lastLineOf, replacementOf } from "../mcp/changes.mjs";

/**
 * @typedef {{ readonly name: string, readonly input: object }} Call
 * @typedef {{ readonly use: readonly unknown[], readonly tools?: readonly unknown[], readonly says: string,
 *   readonly read?: Call, edit(swap: readonly [string, string]): Call }} Player
 *   `says`: what an answer holds where the change was made
 * @typedef {{ readonly content: readonly { readonly toolResponse?: { readonly output: unknown } }[] }} Message
 * @typedef {{ readonly ms: number, readonly cpuMs: number, readonly rssMiB: number, readonly peakMiB: number }} Spent
 */
const [, , name = "", root = "", stateDir = "", count = "", kind = ""] = argv;
const lines = Number(count);
const filePath = "file.ts";

// Genkit is installed by the bench only: its types are not here when the bench is type-checked.
const load = (/** @type {string} */ module) => import(module);
const { genkit, z } = await load("genkit");
const ai = genkit({});
const player = await playerOf();

let calls = 0;
/** @type {{ readonly at: number, readonly cpu: NodeJS.CpuUsage } | undefined} */
let begun;

const model = ai.defineModel(
  { name: "scripted" },
  async (/** @type {{ readonly messages: readonly Message[] }} */ { messages }) => {
    calls += 1;
    if (calls === 1 && player.read !== undefined) return ask(player.read);
    process.send?.(begun === undefined ? "ready" : settle(begun, messages));
    const [round] = await once(process, "message");
    if (round === "end") return say([{ text: "done" }]);
    const swap = kind === "append" ? lastLineOf(lines, round) : replacementOf(lines, round);
    begun = { at: performance.now(), cpu: process.cpuUsage() };
    return ask(player.edit(swap));
  },
);

const { use, tools } = player;
await ai.generate({ model, prompt: "work", use, ...(tools && { tools }), maxTurns: 1_000_000 });
process.disconnect();

/** @returns {Promise<Player>} */
async function playerOf() {
  switch (name) {
    case "holdfast": {
      const { holdfast } = await load("@holdfast/adapters/genkit");
      // A read shows at most 256 KiB.
      const input = { filePath, ...(lines > 2_000 ? { limit: 2_000 } : {}) };
      return {
        use: [holdfast({ root, stateDir })],
        read: { name: "read_file", input },
        edit: ([oldString, newString]) => ({
          name: "edit_file",
          input: { filePath, edits: [{ oldString, newString }] },
        }),
        says: "OK (applied)",
      };
    }
    case "stock": {
      const { filesystem } = await load("@genkit-ai/middleware");
      return {
        use: [filesystem({ rootDirectory: root, allowWriteAccess: true })],
        read: { name: "read_file", input: { filePath } },
        edit: ([search, replace]) => ({
          name: "search_and_replace",
          input: {
            filePath,
            edits: [`<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`],
          },
        }),
        says: "Successfully applied 1 edit(s)",
      };
    }
    default: {
      const inputSchema = z.object({ oldString: z.string(), newString: z.string() });
      const config = { name: "nothing", description: "Does nothing.", inputSchema };
      return {
        use: [],
        tools: [ai.defineTool(config, async () => "nothing done")],
        edit: ([oldString, newString]) => ({ name: "nothing", input: { oldString, newString } }),
        says: "nothing done",
      };
    }
  }
}

/** @param {Call} call */
function ask({ name, input }) {
  return say([{ toolRequest: { name, ref: `call-${calls}`, input } }]);
}

/** @param {readonly object[]} content */
function say(content) {
  return { message: { role: "model", content }, finishReason: "stop" };
}

/**
 * The cost of the round that has ended here; throws where its answer does not say that the change was made.
 *
 * @param {{ readonly at: number, readonly cpu: NodeJS.CpuUsage }} from
 * @param {readonly Message[]} messages
 * @returns {Spent}
 */
function settle({ at, cpu }, messages) {
  const ms = performance.now() - at;
  const { user, system } = process.cpuUsage(cpu);
  const answer = String(messages.at(-1)?.content[0]?.toolResponse?.output);
  if (!answer.includes(player.says)) throw new Error(`not the answer that was expected: ${answer}`);
  return {
    ms,
    cpuMs: (user + system) / 1_000,
    rssMiB: process.memoryUsage.rss() / 2 ** 20,
    peakMiB: process.resourceUsage().maxRSS / 2 ** 10,
  };
}
