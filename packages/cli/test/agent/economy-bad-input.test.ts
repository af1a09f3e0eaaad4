import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anthropicWire } from "../../../agent/test/loopback/index.js";
import { type Finished, Project, runHoldfast } from "../process.js";
import { provided } from "./provided.js";

/** One row of "Bad input" of the context economy: what is set and said, and how a run with it ends at each door. */
interface Row {
  readonly name: string;
  readonly context: object;
  /** The answers behind a read; the last words are always there. */
  readonly script: readonly object[];
  readonly code: number;
  readonly says: string;
}

const long = Array.from({ length: 600 }, (_, at) => `line ${at} of a file that is read\n`).join("");
const files = { "a.txt": long, "b.txt": long.replaceAll("read", "kept") };
const read = (path: string) => ({ calls: [{ name: "read_file", args: { file_path: path } }] });
const reads = [read("a.txt"), read("b.txt")];
const done = { text: "Done." };
const summing = { compactAtTokens: 8_000, compactTailTokens: 200 };
const notSummed = "The context was not summed up: ";

const rows: readonly Row[] = [
  {
    name: "thresholds that contradict each other",
    context: { triggerTokens: 50_000, compactAtTokens: 30_000 },
    script: [],
    code: 52,
    says: "(30000) is below the trigger of clearing (50000)",
  },
  {
    name: "a threshold of compaction below the protected tail",
    context: { compactAtTokens: 10_000 },
    script: [],
    code: 52,
    says: "context.compactAtTokens (10000) has to be above context.compactTailTokens (20000)",
  },
  {
    name: "a provider without ratios",
    context: { triggerTokens: 2_000 },
    script: [],
    code: 0,
    says: 'Nothing is known of what the cache of "scripted" costs: set context.ratios for it.',
  },
  {
    name: "a summariser that fails",
    context: summing,
    script: [{ fails: "overloaded" }],
    code: 0,
    says: notSummed,
  },
  {
    name: "a summariser that says nothing",
    context: summing,
    script: [{ text: " " }],
    code: 0,
    says: `${notSummed}The model gave no summary.`,
  },
  {
    name: "a summariser that calls a tool",
    context: summing,
    script: [{ text: "Summary.", calls: [{ name: "read_file", args: { file_path: "a.txt" } }] }],
    code: 0,
    says: `${notSummed}The model called a tool instead of summing up.`,
  },
  {
    name: "a summary that is longer than what it stands for",
    context: summing,
    script: [{ text: "word ".repeat(20_000) }],
    code: 0,
    says: `${notSummed}The summary has `,
  },
];

const doors = ["text", "json", "stream-json"] as const;
type Door = (typeof doors)[number];
const cases = rows.flatMap((row) => doors.map((door) => ({ ...row, door })));

/** What a person, or a program, is told: a run that never began has nothing but standard error. */
function toldAt(door: Door, { stdout, stderr, code }: Finished): string {
  if (door === "text" || code === 52) return stderr;
  if (door === "json") return JSON.parse(stdout).notices.join("\n");
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  return lines
    .flatMap(({ type, severity, message }) => (type === "error" ? [`${severity}: ${message}`] : []))
    .join("\n");
}

describe("bad input of the context economy, through the program", () => {
  it.each(cases)(
    "$name, $door: ends with $code, and the session goes on",
    { timeout: 60_000 },
    async (row) => {
      const { context, script, code, says, door } = row;
      const project = new Project(files);
      const home = new Project({
        "settings.jsonc": JSON.stringify({ context }),
        "script.json": JSON.stringify([read("a.txt"), ...script, done]),
        "next.json": JSON.stringify([{ text: "Yes." }]),
      });
      const env = { HOLDFAST_HOME: home.folder, XDG_STATE_HOME: join(home.folder, "state") };
      const at = { cwd: project.folder, env };
      const run = (name: string, more: readonly string[]) =>
        runHoldfast(["-p", "Go.", "--script", join(home.folder, name), "-o", door, ...more], at);
      const ran = await run("script.json", ["--session-id", "bad"]);
      expect(ran.code, ran.stdout + ran.stderr).toBe(code);
      const told = toldAt(door, ran);
      expect(told.split(says).length, told).toBe(2);
      expect(ran.stderr).not.toMatch(/^\s+at .*:\d+:\d+/m);
      if (code !== 0) return;
      expect(ran.stdout).toContain("Done.");
      home.put("settings.jsonc", "{}");
      const again = await run("next.json", ["-r", "bad"]);
      expect(again.stdout, again.stderr).toContain("Yes.");
      const verified = await runHoldfast(["sessions", "verify", "bad"], at);
      expect(verified.code, verified.stdout + verified.stderr).toBe(0);
    },
  );

  it.each(doors)(
    "a window smaller than the protected tail, %s: is told once",
    { timeout: 60_000 },
    async (door) => {
      const script = [...reads.map(({ calls }) => ({ calls })), { text: "Done." }];
      const { run, home, server } = await provided(anthropicWire, script, files);
      const settings = JSON.parse(home.text("settings.jsonc") ?? "{}");
      const overrides = { [server.wire.model]: { contextTokens: 8_000 } };
      const given = { ...settings, model: { ...settings.model, overrides } };
      home.put("settings.jsonc", JSON.stringify(given));
      const ran = await run(["-p", "Go.", "-o", door, "--session-id", "small"]);
      expect(ran.code, ran.stderr).toBe(0);
      const says = "The window leaves 6000 tokens to a prompt, which is no more than the 20000";
      expect(toldAt(door, ran).split(says).length, ran.stdout + ran.stderr).toBe(2);
      const verified = await run(["sessions", "verify", "small"]);
      expect(verified.code, verified.stdout + verified.stderr).toBe(0);
    },
  );

  it("takes the ratios of the settings for a provider that no table names", { timeout: 60_000 }, async () => {
    const project = new Project({ ...files, "c.txt": "short\n" });
    const context = {
      ...{ triggerTokens: 6_000, keep: 1, keepMessages: 1, keepTokens: 1, keepShare: 0, workingTokens: 1 },
      ...{ clearAtLeast: 100, ratios: { scripted: { write: 1, read: 0.5 } } },
    };
    const script = [...reads, read("c.txt"), read("c.txt"), done];
    const home = new Project({
      "settings.jsonc": JSON.stringify({ context }),
      "script.json": JSON.stringify(script),
    });
    const env = { HOLDFAST_HOME: home.folder, XDG_STATE_HOME: join(home.folder, "state") };
    const args = ["-p", "Go.", "--script", join(home.folder, "script.json"), "-o", "stream-json"];
    const ran = await runHoldfast(args, { cwd: project.folder, env });
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    expect(ran.stdout).toContain('"done":"cleared"');
    expect(ran.stdout).not.toContain("Nothing is known");
  });
});
