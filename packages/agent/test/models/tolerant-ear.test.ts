import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { afterThisTest } from "../../../../test/cleanups.js";
import { Commands } from "../../src/host/commands.js";
import { shellTool } from "../../src/host/shell-tool.js";
import { todosTool } from "../../src/host/todos.js";
import { openaiChatModel } from "../../src/models/open-model.js";
import { openStage } from "../loop/stage.js";
import { Loopback } from "./wires.js";

/** A call as a model or a gateway got it wrong, and what it has to mean: a line each of `bad-calls.jsonl`. */
interface BadCall {
  readonly says: string;
  readonly name: string;
  /** A text: as they stand on the wire. */
  readonly args: string | object;
  /** The tool that is called; absent where no call is made, and the model is told why. */
  readonly means?: string;
  /** What its answer, or what the model is told, has to hold: an expression. */
  readonly answer: string;
}

const corpus = readFileSync(new URL("bad-calls.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n");
const badCalls = corpus.map((line): BadCall => JSON.parse(line));

const server = new Loopback();
beforeAll(() => server.open());
afterAll(() => server.close());

const data = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/** One answer with this call, as a server of Chat Completions streams it, and a last one. */
function answering(name: string, json: string) {
  const call = { index: 0, id: "c", type: "function", function: { name, arguments: json } };
  const end = [data({ content: "Done." }), data({}, "stop"), "data: [DONE]\n\n"];
  return [
    { stream: [data({ tool_calls: [call] }), data({}, "tool_calls"), "data: [DONE]\n\n"] },
    { stream: end },
  ];
}

const edited = Array.from({ length: 13 }, (_, at) => `e${at + 1}.ts`);
const files = Object.fromEntries(
  ["a.ts", "b.ts", "unread.ts", ...edited].map((name) => [name, "one\ntwo\n"]),
);

/** An agent with a shell and a list, whose model has read the files that are edited. */
async function listening() {
  const hostTools = [todosTool];
  const stage = await openStage(
    [],
    {
      model: openaiChatModel({ model: "m", key: "k", keyName: "K", baseUrl: `${server.url}/v1` }),
      hostTools: () => hostTools,
    },
    files,
  );
  mkdirSync(join(stage.root, "src"));
  writeFileSync(join(stage.root, "src/b.ts"), "one\n");
  const commands = new Commands({
    roots: [stage.root],
    tempDir: stage.root,
    environment: { PATH: process.env.PATH ?? "" },
  });
  afterThisTest(() => commands.close());
  hostTools.push(shellTool({ commands }) as never);
  const hear = async (name: string, json: string) => {
    server.script = [...answering(name, json)];
    const seen = stage.events.length;
    const end = await stage.turn("Go.");
    const events = stage.events.slice(seen);
    const call = events.flatMap((event) => (event.kind === "call_ended" ? [event.call] : []))[0];
    const told = events.flatMap((event) => (event.kind === "noticed" ? [event.text] : []));
    return { end, name: call?.name, text: call?.text ?? told.join("\n") };
  };
  await hear("read_many_files", JSON.stringify({ paths: edited }));
  return { ...stage, hear };
}

const jsonOf = ({ args }: BadCall, root: string) =>
  (typeof args === "string" ? args : JSON.stringify(args)).replace("FILE", pathToFileURL(root).href);

test("calls as models get them wrong mean the one call that is certain, or are refused with the right one", async () => {
  const { root, hear } = await listening();
  const heard: string[] = [];
  for (const call of badCalls) {
    const { name, text } = await hear(call.name, jsonOf(call, root));
    const isRight = name === call.means && new RegExp(call.answer, "u").test(text);
    if (!isRight) heard.push(`${call.says}: ${call.name} ${JSON.stringify(call.args)} => ${name}: ${text}`);
  }
  expect(heard).toEqual([]);
  expect(badCalls.length).toBeGreaterThan(100);
});
