import { called, writeInto } from "../../proof/clients/any-client.mjs";
import { claudeCode } from "../../proof/clients/claude-code.mjs";
import { codex, codexInCode } from "../../proof/clients/codex.mjs";
import { geminiCli } from "../../proof/clients/gemini-cli.mjs";
import { opencode } from "../../proof/clients/opencode.mjs";
import { built } from "../../proof/machine.mjs";
import { claudeHand, geminiHand, oursHand } from "../turns/hands.mjs";
import { startModel } from "./model.mjs";
import { installPeer } from "./peers.mjs";

/**
 * An agent, the API that its scripted model speaks, and how it uses its tools.
 *
 * @typedef {import("../../proof/clients/any-client.mjs").Client} Client
 * @typedef {import("../../proof/clients/any-client.mjs").Part} Part
 * @typedef {import("../turns/hands.mjs").Hand} Hand
 * @typedef {object} Contender
 * @property {string} name
 * @property {Client} client
 * @property {import("./model.mjs").WireName} wire
 * @property {(project: string) => Hand} hand
 * @property {(args: readonly string[]) => readonly string[]} again the arguments that go on with the last session
 * @property {(args: readonly string[]) => readonly string[]} image those that show the model `dot.png`
 * @property {boolean} isOurs
 */

const prompt = "Please do as we said.";
const added =
  (/** @type {readonly string[]} */ ...more) =>
  (/** @type {readonly string[]} */ args) => [...args, ...more];
const named = (/** @type {readonly string[]} */ args) =>
  args.map((arg) => (arg === prompt ? `@dot.png ${prompt}` : arg));

/**
 * Ours with each of the four APIs, and the others.
 *
 * @param {"auto-edit" | "yolo"} mode of ours: `yolo` where the script runs commands, as the others may anyway
 * @returns {readonly Contender[]}
 */
export function contendersWith(mode) {
  return [
    ours("Anthropic", "anthropic", "anthropic/claude-sonnet-4-5", mode, claudeCode),
    ours("Responses", "responses", "openai/gpt-5.4", mode, codex),
    ours("Chat", "chat", "lmstudio/the-model", mode, opencode),
    ours("Gemini", "gemini", "google/gemini-3.1-pro-preview", mode, geminiCli),
    peer("anthropic", claudeCode, "@anthropic-ai/claude-code", claudeHand, added("--continue")),
    peer("responses", codexExec, "@openai/codex", codexHand, resumed, pictured),
    peer("gemini", geminiCli, "@google/gemini-cli", geminiHand, added("--resume", "latest")),
    peer("chat", opencode, "opencode-ai", handOf(opencode.own), added("--continue")),
    peer("anthropic", pi, "@mariozechner/pi-coding-agent", handOf(piOwn), added("--continue")),
  ];
}

/** Ours stops after 200 steps unless told otherwise; the others do not. */
const own = {
  ANTHROPIC_API_KEY: "none",
  OPENAI_API_KEY: "none",
  GEMINI_API_KEY: "none",
  HOLDFAST_MAX_TURNS: "400",
};

/**
 * @param {string} api @param {Contender["wire"]} wire @param {string} model @param {string} mode
 * @param {Client} reader who reads requests of this API
 * @returns {Contender}
 */
function ours(api, wire, model, mode, { answers, offered }) {
  const args = ["-p", prompt, "--approval-mode", mode, "-o", "json", "-m", model];
  /** @type {Client} */
  const client = {
    title: `holdfast, ${api}`,
    version: "",
    install: () => ({ kind: "installed", program: built.cli }),
    startModel: (turns, meter) => modelOf(wire, turns, meter),
    settle: ({ home }, url) => {
      const providers = { lmstudio: { baseUrl: `${url}/v1` } };
      writeInto(home, ".config/holdfast/settings.jsonc", JSON.stringify({ model: { providers } }));
    },
    launch: (program, _, url) => ({
      file: process.execPath,
      args: [program, ...args],
      env: { ...own, ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, GOOGLE_GEMINI_BASE_URL: url },
    }),
    toolName: (_, tool) => tool,
    answers,
    offered,
  };
  const hand = () => oursHand((tool) => tool);
  return { name: client.title, client, wire, hand, again: added("-c"), image: named, isOurs: true };
}

/**
 * @param {Contender["wire"]} wire @param {Client} client @param {import("./peers.mjs").Peer} packed
 * @param {Contender["hand"]} hand @param {Contender["again"]} again @param {Contender["image"]} image
 * @returns {Contender}
 */
function peer(wire, client, packed, hand, again, image = named) {
  const installed = {
    ...client,
    install: () => installPeer(packed),
    startModel: (/** @type {Turns} */ turns, /** @type {any} */ meter) => modelOf(wire, turns, meter),
  };
  return { name: client.title, client: installed, wire, hand, again, image, isOurs: false };
}

/** The same with one state folder for all its runs: it keeps its compiled code there, as on any machine. @param {Contender} contender @param {string} stateDir @returns {Contender} */
export function keeping(contender, stateDir) {
  const { client } = contender;
  const launch = (/** @type {Parameters<Client["launch"]>} */ ...given) => {
    const how = client.launch(...given);
    return { ...how, env: { ...how.env, HOLDFAST_STATE_DIR: stateDir } };
  };
  return contender.isOurs ? { ...contender, client: { ...client, launch } } : contender;
}

/** @typedef {Parameters<Client["startModel"]>[0]} Turns */

/** The turns answer the requests in their order. @param {Contender["wire"]} wire @param {Turns} turns @param {Parameters<Client["startModel"]>[1]} meter */
function modelOf(wire, turns, meter) {
  let asked = 0;
  const next = (/** @type {any} */ request) => {
    const turn = turns[asked] ?? (() => [{ text: "done" }]);
    asked += 1;
    return { parts: turn(request) };
  };
  return startModel(wire, next, { meter });
}

/** @type {Client} */
const codexExec = { ...codex, title: "Codex", settle: codexInCode.settle ?? (() => {}) };

/** With a model that it does not know it has a shell, in which it finds its patches. They are of whole lines. @returns {Hand} */
function codexHand() {
  let seen = "";
  const run = (/** @type {string} */ cmd) => called("exec_command", { cmd });
  const patched = (/** @type {string} */ change) =>
    run(`apply_patch <<'EOF'\n*** Begin Patch\n*** ${change}*** End Patch\nEOF`);
  return {
    ...claudeHand(""),
    read: (file) => run(`cat ${file}`),
    edit: ({ file, old, next }) => {
      const line = seen.split("\n").findLast((one) => one.includes(old)) ?? old;
      return patched(`Update File: ${file}\n@@\n-${line}\n+${line.replace(old, next)}\n`);
    },
    learn: (_, answer) => {
      if (answer.includes("{\n")) seen = answer;
    },
    failed: (answer) => /exited with code [^0]|verification failed/.test(answer),
    create: (file, content) => [
      [patched(`Add File: ${file}\n${content.trimEnd().replaceAll(/^/gm, "+")}\n`)],
    ],
    shell: run,
  };
}

/** @param {readonly string[]} args */
function resumed(args) {
  return [...args.slice(0, -1), "resume", "--last", ...args.slice(-1)];
}

/** @param {readonly string[]} args */
function pictured(args) {
  return [...args.slice(0, -1), "--image=dot.png", ...args.slice(-1)];
}

/** @type {Client} */
const pi = {
  title: "pi",
  version: "",
  install: () => installPeer("@mariozechner/pi-coding-agent"),
  startModel: claudeCode.startModel,
  settle: ({ home }, url) =>
    writeInto(
      home,
      ".pi/agent/models.json",
      JSON.stringify({ providers: { anthropic: { baseUrl: url, apiKey: "none" } } }),
    ),
  launch: (program) => ({
    file: process.execPath,
    args: [program, "-p", prompt, "--model", "anthropic/claude-sonnet-4-5"],
    env: { ANTHROPIC_API_KEY: "none", PI_OFFLINE: "1" },
  }),
  toolName: (_, tool) => tool,
  answers: claudeCode.answers,
  offered: claudeCode.offered,
};

/** @type {Own} */
const piOwn = () => ({
  read: (path, lines) => called("read", { path, ...(lines && { offset: lines.from, limit: lines.count }) }),
  edit: (path, oldText, newText) => called("edit", { path, edits: [{ oldText, newText }] }),
  write: (path, content) => called("write", { path, content }),
  shell: (command) => called("bash", { command }),
});

/**
 * What a client's own tools are for the sessions here, which read, edit and write only.
 *
 * @typedef {NonNullable<Client["own"]>} Own
 * @param {Own | undefined} tools @returns {Contender["hand"]}
 */
function handOf(tools) {
  return (project) => {
    if (tools === undefined) throw new Error("it has no tools");
    const { read, edit, write, shell } = tools(project);
    return {
      ...claudeHand(project),
      read: (file) => read(file),
      edit: ({ file, old, next }) => edit(file, old, next),
      failed: (answer) => /^(Error|Failed|Could not)/i.test(answer),
      create: (file, content) => [[write(file, content)]],
      shell,
    };
  };
}
