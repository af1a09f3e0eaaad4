// A server of the protocol, written by hand, that misbehaves as its argument says.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , how = "well", log = "", word = ""] = process.argv;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const note = (text) => log === "" || appendFileSync(log, `${text}\n`);
const schema = { type: "object", properties: { text: { type: "string" } } };

note(`start ${process.pid}`);
process.stderr.write("a word on stderr\n");
if (how === "stubborn") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
  spawn("sh", ["-c", `trap '' TERM; sleep ${word}; sleep ${word}`], { stdio: "inherit" });
}
if (how === "die-at-start") process.exit(3);
if (how === "flood-at-start") flood();

let extra = false;
let asked = 0;
const tools = () => {
  const all = [
    {
      name: "echo",
      description: "Says it again.\u001b[31m",
      inputSchema: schema,
      annotations: { readOnlyHint: true },
    },
    { name: "die", inputSchema: schema },
    { name: "flood", inputSchema: schema },
    { name: "hang", inputSchema: schema },
    { name: "fail", inputSchema: schema, annotations: { destructiveHint: false, openWorldHint: false } },
    { name: "refuse", inputSchema: schema },
    { name: "media", inputSchema: schema },
    { name: "long", inputSchema: schema },
    { name: "grow", inputSchema: schema },
    { name: "roots", inputSchema: schema },
    { name: "environment", inputSchema: schema },
    { name: "a name with spaces/and slashes", inputSchema: schema },
    { name: "x".repeat(100), inputSchema: schema },
  ];
  if (extra) all.push({ name: "new", inputSchema: schema });
  const bad = [{ name: 3 }, { name: "no_schema" }, { name: "odd", inputSchema: { type: "array" } }, null];
  return how === "bad-schemas" ? [...bad, ...all] : all;
};

const waiting = new Map();
const text = (words) => ({ content: [{ type: "text", text: words }] });

function flood() {
  const part = "x".repeat(1 << 20);
  for (let at = 0; at < 100; at++) process.stdout.write(part);
}

const calls = {
  echo: (id, { text: words = "" }) => send({ id, result: text(words) }),
  die: () => process.exit(1),
  flood,
  hang: (_id, _, token) => {
    if (token !== undefined)
      send({
        method: "notifications/progress",
        params: { progressToken: token, progress: 1, total: 3, message: "on it" },
      });
  },
  fail: (id) => send({ id, result: { ...text("no such thing"), isError: true } }),
  refuse: (id) => send({ id, error: { code: -32602, message: "text is missing" } }),
  media: (id) => {
    const content = [
      { type: "text", text: "look" },
      { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
      { type: "audio", mimeType: "audio/wav", data: "AAAA" },
      { type: "resource", resource: { uri: "mem://a", mimeType: "text/plain", text: "inside" } },
      { type: "resource_link", uri: "mem://b", name: "b" },
    ];
    send({ id, result: { content } });
  },
  long: (id) => send({ id, result: text("long ".repeat(50_000)) }),
  grow: (id) => {
    extra = true;
    send({ method: "notifications/tools/list_changed" });
    send({ id, result: text("grown") });
  },
  roots: (id) => {
    waiting.set("r1", (roots) => send({ id, result: text(JSON.stringify(roots)) }));
    send({ id: "r1", method: "roots/list" });
  },
  environment: (id) => send({ id, result: text(JSON.stringify(process.env)) }),
};

const methods = {
  initialize: async (id, { protocolVersion }) => {
    if (how === "hang-at-start") return;
    const isAgain = how === "slow-again" && readFileSync(log, "utf8").match(/start/g).length > 1;
    while (isAgain && !existsSync(`${log}.go`)) await new Promise((resolve) => setTimeout(resolve, 20));
    const capabilities = { tools: { listChanged: true }, resources: {} };
    const serverInfo = { name: "odd", version: "1" };
    send({ id, result: { protocolVersion, capabilities, serverInfo, instructions: "Be odd." } });
  },
  "tools/list": (id, { cursor }) => {
    asked += 1;
    if (how === "endless") return send({ id, result: { tools: [], nextCursor: `c${asked}` } });
    const [first, ...rest] = tools();
    // Two pages.
    send({ id, result: cursor === undefined ? { tools: [first], nextCursor: "2" } : { tools: rest } });
  },
  "tools/call": (id, { name, arguments: args = {}, _meta = {} }) =>
    calls[name]?.(id, args, _meta.progressToken),
  "resources/read": (id, { uri }) =>
    uri === "mem://a"
      ? send({
          id,
          result: {
            contents: [
              { uri, text: "inside" },
              { uri, mimeType: "image/png", blob: "AAAA" },
            ],
          },
        })
      : send({ id, error: { code: -32002, message: "no such resource" } }),
  "notifications/cancelled": (_, { requestId }) => note(`cancelled ${typeof requestId}`),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {}, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result);
  else methods[method]?.(id, params);
});
