import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onGround, ranIn } from "./ground.mjs";

/** @typedef {import("../contract.mjs").Row} Row */

/** What a name may be instead of a file. @type {Readonly<Record<string, (path: string) => void>>} */
const kinds = {
  fifo: (path) => void execFileSync("mkfifo", [path]),
  stdin: (path) => symlinkSync("/dev/stdin", path),
  zero: (path) => symlinkSync("/dev/zero", path),
  huge: (path) => {
    writeFileSync(path, "");
    truncateSync(path, 100_000_000);
  },
  folder: (path) => mkdirSync(path),
  rules: (path) => writeFileSync(path, manyRules(path)),
};

/** 50,000 rules, in the words of the file. @param {string} path */
function manyRules(path) {
  const rules = Array.from({ length: 50_000 }, (_, at) => `a${at}*b**/c?${at}`);
  if (!path.endsWith(".json")) return rules.join("\n");
  return JSON.stringify({ permissions: { deny: rules.map((rule) => `Read(${rule})`) } });
}

const agent = ["-p", "hi", "--approval-mode", "yolo", "--script"];
const hello = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
})}\n`;
const served = { until: '"protocolVersion"', input: hello };

/** Names that a program reads by itself, and that program. */
const ways = [
  ...".git .git/config .git/HEAD .git/index .holdfast/settings.jsonc .holdfastignore .gitignore .editorconfig src/.editorconfig AGENTS.md .gitmodules"
    .split(" ")
    .map((name) => ({ name, args: agent, more: {} })),
  ...[".claude/settings.json", ".claude/settings.local.json", ".git", ".gitignore", ".holdfastignore"].map(
    (name) => ({ name, args: ["mcp", "--rules-of", "claude"], more: served }),
  ),
  { name: ".gemini/settings.json", args: ["mcp", "--rules-of", "gemini"], more: served },
  { name: ".geminiignore", args: ["mcp", "--rules-of", "gemini"], more: served },
  { name: ".claude/settings.json", args: ["setup", "claude", "--yes", "--project"], more: {} },
  { name: ".mcp.json", args: ["setup", "claude", "--yes", "--project"], more: {} },
  ...[".git", ".holdfast/settings.jsonc"].map((name) => ({ name, args: ["doctor"], more: {} })),
  { name: ".holdfast/settings.jsonc", args: ["config", "check"], more: {} },
  { name: "session.jsonl", args: ["sessions", "import", "session.jsonl"], more: {} },
];

/** @param {import("../contract.mjs").RunOptions} options @returns {Promise<Row>} */
export async function readers({ quick, print }) {
  const all = ways.flatMap((way) => Object.keys(kinds).map((kind) => ({ ...way, kind })));
  const tried = all.filter((_, at) => !quick || at % 11 === 0);
  let [frozen, unended, internal, slowest] = [0, 0, 0, 0];
  for (const { name, kind, args, more } of tried) {
    const ran = await onGround(async (ground) => {
      ground.put("a.txt", "x\n");
      const path = join(ground.folder, name);
      mkdirSync(dirname(path), { recursive: true });
      kinds[kind]?.(path);
      const script = join(ground.home, "script.json");
      writeFileSync(script, JSON.stringify([{ calls: [write] }, { text: "ok" }]));
      return ranIn(ground, args === agent ? [...args, script] : args, more);
    });
    const isBug = ran.said.includes("internal error");
    if (ran.isFrozen || ran.isUnended || isBug)
      print(`${kind} ${name}: holdfast ${args.join(" ")}: ${ran.said.slice(0, 300)}`);
    frozen += ran.isFrozen ? 1 : 0;
    unended += ran.isUnended ? 1 : 0;
    internal += isBug ? 1 : 0;
    slowest = Math.max(slowest, ran.endedMs);
  }
  return {
    figure: "W6",
    what: `${ways.length} names that a program reads by itself, each as ${Object.keys(kinds).join(", ")}`,
    tried: tried.length,
    bad: { frozen, unended, internal },
    seen: `SIGTERM ended each within ${Math.ceil(slowest)} ms`,
    baseline: "plain reads: 5 of 15 hostile settings files froze the server (review of 2026-11-28)",
  };
}

const write = { name: "write_file", args: { file_path: "src/new.txt", content: "n\n" } };
