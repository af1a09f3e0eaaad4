import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileEffect } from "@holdfast/core/conversation/values";
import type { HostTool, RanProgram } from "@holdfast/core/tools";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { afterThisTest } from "../../../../test/cleanups.js";
import { hangMs } from "../../../../test/until.js";
import { killTool, readOutputTool } from "../../src/host/background-tools.js";
import { type CommandLimits, Commands } from "../../src/host/commands.js";
import { commandEnvironment } from "../../src/host/environment.js";
import type { FileCheck } from "../../src/host/shell-tool.js";
import { shellTool } from "../../src/host/shell-tool.js";
import { call, folder, until } from "./ground.js";

interface Shell {
  readonly root: string;
  readonly tempDir: string;
  readonly commands: Commands;
  readonly run: HostTool;
  readonly read: HostTool;
  readonly kill: HostTool;
}

async function shell(limits: Partial<CommandLimits> = {}, checkFiles?: FileCheck): Promise<Shell> {
  const top = await folder();
  const root = join(top, "project");
  const tempDir = join(top, "tmp");
  mkdirSync(root);
  const environment = commandEnvironment({ own: { ...process.env, MY_API_KEY: "hidden" } });
  const commands = new Commands({ roots: [root], tempDir, environment, limits: { graceMs: 300, ...limits } });
  afterThisTest(() => commands.close());
  const context = { commands, ...(checkFiles === undefined ? {} : { checkFiles }) };
  // A tool with parameters of its own is one of any.
  const tools = [shellTool(context), readOutputTool(context), killTool(context)] as unknown as HostTool[];
  const [run, read, kill] = tools as [HostTool, HostTool, HostTool];
  return { root, tempDir, commands, run, read, kill };
}

/** Living processes whose command line holds a word that is nowhere else. */
function living(word: string): number {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false;
    try {
      const state = readFileSync(`/proc/${name}/stat`, "latin1").split(") ").at(-1)?.[0];
      return state !== "Z" && readFileSync(`/proc/${name}/cmdline`, "latin1").includes(word);
    } catch {
      return false;
    }
  }).length;
}

let words = 0;
/** A number of seconds that names a `sleep` among all processes. */
const uniqueSleep = () => {
  words += 1;
  return `9${process.pid}${words}.5`;
};

describe("run_shell_command", () => {
  test("shows what was printed, in order of arrival, and the exit code", async () => {
    const { run } = await shell();
    const result = await call(run, { command: "echo one; echo two >&2; echo three; exit 3" });
    expect(result.code).toBe("failed");
    expect(result.text).toMatch(/^FAILED \(failed\): The command ended with exit code 3 after [\d.]+ s\.\n/);
    expect(result.text).toContain("Output:\none\ntwo\nthree\n");
    expect(await call(run, { command: "true" })).toMatchObject({
      code: "ok",
      text: expect.stringMatching(/^Exit code 0 after [\d.]+ s\.\nIt printed nothing\.$/),
    });
  });

  test("tells a signal, a syntax error and a command that is not there", async () => {
    const { run } = await shell();
    expect((await call(run, { command: "kill -SEGV $$" })).text).toContain("killed by SIGSEGV");
    expect((await call(run, { command: "if then" })).text).toMatch(/syntax error/);
    expect((await call(run, { command: "no-such-program-anywhere" })).text).toMatch(/exit code 127/);
    expect((await call(run, { command: "x".repeat(3_000_000) })).code).toBe("failed");
    expect((await call(run, { command: "" })).code).toBe("invalid_arguments");
  });

  test("has no input, no key, no colour and no pager", async () => {
    const { run } = await shell();
    const { text } = await call(run, { command: 'cat; echo "[$MY_API_KEY][$NO_COLOR][$GIT_PAGER]"' });
    expect(text).toContain("[][1][cat]");
  });

  test("runs in the workspace, or in a folder of it", async () => {
    const { run, root } = await shell();
    mkdirSync(join(root, "sub"));
    writeFileSync(join(root, "file"), "");
    symlinkSync("/", join(root, "out"));
    expect((await call(run, { command: "pwd" })).text).toContain(`${root}\n`);
    expect((await call(run, { command: "pwd", directory: "sub" })).text).toContain(`${root}/sub\n`);
    const codes = ["..", "/", "out", "none", "file"].map(async (directory) => {
      return (await call(run, { command: "pwd", directory })).code;
    });
    expect(await Promise.all(codes)).toEqual([
      "outside_workspace",
      "outside_workspace",
      "outside_workspace",
      "file_missing",
      "not_a_file",
    ]);
  });

  test("shows the beginning and the end of a long output and keeps the rest in a file", async () => {
    const { run, commands } = await shell({ shownBytes: 2_000 });
    const { text } = await call(run, { command: "seq 1 5000" });
    expect(text.length).toBeLessThan(3_000);
    expect(text).toContain("Output:\n1\n2\n");
    expect(text.endsWith("5000\n")).toBe(true);
    const path = /bytes are in (\S+); /.exec(text)?.[1] ?? "";
    const all = Array.from({ length: 5_000 }, (_, at) => `${at + 1}\n`).join("");
    expect(readFileSync(path, "utf8")).toBe(all);
    await commands.close();
    expect(existsSync(path)).toBe(false);
  });

  test("shows the rest of a long output by its id, also of a command that was waited for", async () => {
    const { run, read } = await shell({ shownBytes: 2_000 });
    const { text } = await call(run, { command: "seq 1 5000" });
    const [, head = "", id = "", offset = "", tail = ""] =
      /Output:\n([^[]*)\n\[.*read_output with id (\S+) and offset (\d+) shows them …\]\n(.*)$/s.exec(text) ??
      [];
    let all = `${head}\n`;
    expect(Number(offset)).toBe(all.length);
    for (let at = Number(offset); !all.endsWith(tail); at = all.length) {
      const { code, text: part } = await call(read, { id, offset: at });
      expect(code).toBe("ok");
      all += part.replace(/^.*?Bytes \d+ to \d+ of \d+[^:]*:\n/s, "");
    }
    expect(all).toBe(Array.from({ length: 5_000 }, (_, at) => `${at + 1}\n`).join(""));
  });

  test("takes 100 MB in bounded memory and bounded room on disk", async () => {
    const { run, tempDir } = await shell({ fileBytes: 1 << 20 });
    const before = process.memoryUsage.rss();
    const { code, text } = await call(run, { command: "head -c 100000000 /dev/zero | tr '\\0' x" });
    expect(code).toBe("ok");
    expect(text).toContain("the first 1,048,576 of all 100,000,000 bytes");
    expect(text.length).toBeLessThan(31_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(80 << 20);
    const [file = ""] = readdirSync(tempDir);
    expect(readFileSync(join(tempDir, file)).length).toBe(1 << 20);
  });

  test("ends at its time, with everything it started", async () => {
    const { run } = await shell();
    const sleep = uniqueSleep();
    const command = `sleep ${sleep} & (trap '' TERM; sleep ${sleep}) & echo begun; wait`;
    const { code, text } = await call(run, { command, timeout_seconds: 1 });
    expect(code).toBe("timeout");
    expect(text).toContain("begun");
    expect(living(sleep)).toBe(0);
  });

  test("ends when it is cancelled, also who ignores SIGTERM and who left the process group", async () => {
    const { run, root } = await shell();
    const sleep = uniqueSleep();
    const stubborn = `trap "" TERM; setsid sh -c 'trap "" TERM; sleep ${sleep}; sleep ${sleep}' & sleep ${sleep}; sleep ${sleep}`;
    writeFileSync(join(root, "stubborn.sh"), stubborn);
    const cancelling = new AbortController();
    const running = call(run, { command: "sh stubborn.sh" }, { signal: cancelling.signal });
    await until(() => living(sleep) >= 2);
    cancelling.abort();
    expect((await running).code).toBe("cancelled");
    expect(living(sleep)).toBe(0);
    expect((await call(run, { command: "touch no" }, { signal: cancelling.signal })).code).toBe("cancelled");
    expect(existsSync(join(root, "no"))).toBe(false);
  });

  test("says nothing of its end, whichever of its shells waits for others", async () => {
    const { run } = await shell();
    const inner = fc.constantFrom("S", "( S; echo no )", "sh -c 'S; true'", "bash -c 'S; true'", "S | cat");
    const outer = fc.constantFrom(
      "X; true",
      "( X; true ); true",
      "X | cat; true",
      "{ X; true; }; true",
      "true && ( X )",
    );
    const shape = fc.tuple(outer, outer, inner);
    for (const [one, two, s] of fc.sample(shape, 8)) {
      const around = one.replace("X", `( ${two.replace("X", s)} )`);
      const sleep = uniqueSleep();
      const cancelling = new AbortController();
      const running = call(
        run,
        { command: around.replace("S", `sleep ${sleep}`) },
        { signal: cancelling.signal },
      );
      await until(() => living(`sleep ${sleep}`.replace(" ", "\0")) >= 1);
      cancelling.abort();
      expect((await running).text, around).not.toContain("Terminated");
    }
  });

  test("ends who forks new parents for ever, in its time", async () => {
    const { run } = await shell({ graceMs: 300 });
    const sleep = uniqueSleep();
    const forking = `f() { trap "" TERM; (f) & sleep 0.05; sleep ${sleep}; }; f`;
    const begunMs = performance.now();
    const ended = await call(run, { command: `(${forking}); true`, timeout_seconds: 1 });
    expect(ended.code).toBe("timeout");
    // A second and three tenths are its time; far more is a chase that has no end.
    expect(performance.now() - begunMs).toBeLessThan(hangMs / 3);
    expect(living(sleep)).toBe(0);
  });

  test("is given the time to end in order that its limits name", async () => {
    const { run } = await shell({ graceMs: 10_000 });
    const orderly =
      "sh -c 'trap \"sleep 0.8; echo in order; exit\" TERM; echo begun; while true; do sleep 0.05; done'";
    const { code, text } = await call(run, { command: `${orderly}; true`, timeout_seconds: 1 });
    expect(code).toBe("timeout");
    expect(text).toContain("in order\n");
  });

  test("leaves nothing behind when it ends by itself, and does not wait for it", async () => {
    const { run } = await shell();
    const sleep = uniqueSleep();
    const { code, text } = await call(run, { command: `sleep ${sleep} & setsid sleep ${sleep} & echo done` });
    expect(code).toBe("ok");
    expect(text).toMatch(/2 processes that it left behind ended/);
    expect(living(sleep)).toBe(0);
  });

  test("tells how far it is while it runs", async () => {
    const { run } = await shell();
    const told: string[] = [];
    const command = "for i in 1 2 3 4 5; do echo line $i; sleep 0.2; done";
    await call(run, { command }, { progress: (text) => told.push(text) });
    expect(told.length).toBeGreaterThan(0);
    expect(told.at(-1)).toMatch(/^[\d.]+ s: line \d$/);
  });

  test("tells the last of what came at once, though nothing follows it", async () => {
    const { run } = await shell();
    const told: (RanProgram | undefined)[] = [];
    const seen = new AbortController();
    const progress = (_: string, program?: RanProgram) => {
      told.push(program);
      if (program?.lastLines.at(-1) === "100000") seen.abort();
    };
    await call(run, { command: "seq 100000; sleep 60" }, { progress, signal: seen.signal });
    const lastLines = [99_996, 99_997, 99_998, 99_999, 100_000].map(String);
    expect(told.at(-1)).toEqual({ id: "c1", lastLines, linesBefore: 99_995 });
  });

  test("appends what became of the files, also of a command that failed", async () => {
    const effect: FileEffect = { path: "a", after: null, by: "seen" };
    const { run } = await shell({}, async () => ({ text: "a is gone.", files: [effect] }));
    const result = await call(run, { command: "echo x; false" });
    expect(result.text.endsWith("Output:\nx\n\na is gone.")).toBe(true);
    expect(result.files).toEqual([effect]);
  });
});

describe("commands in the background", () => {
  test("are read part by part, waited for, listed and ended", async () => {
    const { run, read, kill } = await shell();
    const sleep = uniqueSleep();
    const command = `echo first; read_more() { sleep 0.6; echo second; sleep ${sleep}; }; read_more`;
    const started = await call(run, { command, background: true });
    expect(started).toMatchObject({ code: "ok", text: expect.stringContaining("background as c1") });
    expect((await call(read, { id: "c1", wait_seconds: 10 })).text).toContain("first");
    const second = await call(read, { id: "c1", wait_seconds: 20 });
    expect(second.text).toContain("second");
    expect(second.text).not.toContain("first");
    expect((await call(read, { id: "c1" })).text).toContain("Nothing new");
    expect((await call(read, { id: "c1", offset: 0 })).text).toContain("first\nsecond");
    expect((await call(read, {})).text).toMatch(/c1: echo first.*runs for/);
    expect((await call(kill, { id: "c1" })).code).toBe("ok");
    expect(living(sleep)).toBe(0);
    expect((await call(kill, { id: "c1" })).text).toMatch(/^It had ended before/);
    expect((await call(kill, { id: "c9" })).code).toBe("not_found");
    expect((await call(read, { id: "c9" })).code).toBe("not_found");
  });

  test("that end at once answer at once, with their exit code", async () => {
    const { run } = await shell();
    const result = await call(run, { command: "echo no port; exit 1", background: true });
    expect(result).toMatchObject({ code: "failed", text: expect.stringContaining("no port") });
  });

  test("are waited for until their end, or until the wait is cancelled", async () => {
    const { run, read } = await shell();
    await call(run, { command: "sleep 0.5; echo a; sleep 0.5; exit 4", background: true });
    const ended = await call(read, { id: "c1", wait_seconds: 30, until_end: true });
    expect(ended.text).toMatch(/exit code 4[\s\S]*\na\n/);
    await call(run, { command: "sleep 60", background: true });
    const cancelling = new AbortController();
    const waiting = call(read, { id: "c2", wait_seconds: 60 }, { signal: cancelling.signal });
    cancelling.abort();
    expect((await waiting).text).toContain("Nothing new");
  });

  test("are so many at most, and all end at the close", async () => {
    const { run, commands, tempDir } = await shell({ mostInBackground: 2 });
    const sleep = uniqueSleep();
    const command = `echo x; trap '' TERM; sleep ${sleep}; sleep ${sleep}`;
    const codes: string[] = [];
    for (let at = 0; at < 3; at++) codes.push((await call(run, { command, background: true })).code);
    expect(codes).toEqual(["ok", "ok", "busy"]);
    await commands.close();
    expect(living(sleep)).toBe(0);
    expect(readdirSync(tempDir)).toEqual([]);
    expect((await call(run, { command })).code).toBe("cancelled");
  });

  test("end at their time", async () => {
    const { run, read } = await shell();
    await call(run, { command: "sleep 60", background: true, timeout_seconds: 1 });
    const { text } = await call(read, { id: "c1", wait_seconds: 30, until_end: true });
    expect(text).toContain("FAILED (timeout)");
  });
});

test("what runs in the background ends with our own process, too", async () => {
  const root = await folder();
  const sleep = uniqueSleep();
  const script = `
    import { Commands } from ${JSON.stringify(built)};
    const commands = new Commands({ roots: [process.argv[1]], tempDir: process.argv[1] + "/tmp", environment: process.env });
    const { log } = commands.start("trap '' TERM; echo here; setsid sleep ${sleep} & sleep ${sleep}; sleep ${sleep}", ".", true);
    while (log.sizeBytes === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    process.exit(0);
  `;
  const args = ["--input-type=module", "--eval", script, root];
  const ran = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect([ran.status, ran.stderr]).toEqual([0, ""]);
  await until(() => living(sleep) === 0);
  expect(readdirSync(join(root, "tmp"))).toEqual([]);
});

/** The package as it is built: a process of its own has no other. */
const built = new URL("../../dist/host/index.js", import.meta.url).href;
