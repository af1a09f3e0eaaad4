import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { Project, program } from "../process.js";

const megabytes = 50;
const line = "a line of a log, of fifty characters with its end\n";
const lines = (megabytes * 500_000) / line.length;
const files = {
  "in lines": `${line.repeat(lines)}one place\n${line.repeat(lines)}`,
  "in one line": `${"ab".repeat(megabytes * 500_000)}one place`,
} as const;

const calls = [
  ["append_to_file", { content: "x\n" }],
  ["prepend_to_file", { content: "x\n" }],
  ["edit_file", { edits: [{ old_string: "one place", new_string: "another" }] }],
  ["safe_patch", { unified_diff: `@@ -${lines + 1},1 +${lines + 1},1 @@\n-one place\n+another\n` }],
] as const;

const cases = Object.entries(files).flatMap(([how, text]) =>
  calls.map(([name, args]) => ({ how, text, name, args })),
);

/** The call that holds most: the state before, the one after, and what is looked for. */
const edit = calls[2];

/** An undo holds the state that is put back beside the present one, as the change did. */
const undone = Object.entries(files).map(([how, text]) => ({ how, text, name: edit[0], args: edit[1] }));

/**
 * 252 to 261 MB were seen on Node 20, and 284 before; 360 where the file of the call before was still held, 408 to 454 with
 * more copies of the text. Node 24 takes 25 MB more before anything is done: 294 to 299 were seen.
 */
const most = process.versions.node.startsWith("20.") ? 300 : 320;

/** Of a line of 50 MB no diff is wanted. */
const wanted = cases.filter(({ how, name }) => how === "in lines" || name !== "safe_patch");

const hasStatus = existsSync("/proc/self/status");

test.skipIf(!hasStatus).each(wanted)(
  `${megabytes} MB $how are changed by $name in less than ${most} MB`,
  async ({ text, name, args }) => {
    const server = startServer(text);
    await server.apply(name, { base_content_sha256: server.sha256(), ...args });
    expect(server.peakMegabytes()).toBeLessThan(most);
  },
);

const beyondAscii = "eine Zeile eines Protokolls, fünfzig Zeichen lang x\n";

/** 256 to 259 MB were seen on Node 20; 343 to 344 where the bytes were made in an array that proved too short. */
test.skipIf(!hasStatus).each([edit])(
  `${megabytes} MB beyond ASCII are changed by %s in less than ${most} MB`,
  async (name, args) => {
    const server = startServer(`${beyondAscii.repeat(lines)}one place\n${beyondAscii.repeat(lines)}`);
    await server.apply(name, { base_content_sha256: server.sha256(), ...args });
    expect(server.peakMegabytes()).toBeLessThan(most);
  },
);

test.skipIf(!hasStatus).each(undone)(
  `${megabytes} MB $how are as they were before $name by undo_edit in less than ${most} MB`,
  async ({ text, name, args }) => {
    const server = startServer(text);
    const before = server.sha256();
    await server.apply(name, { base_content_sha256: before, ...args });
    await server.apply("undo_edit", { base_content_sha256: server.sha256() });
    expect(server.sha256()).toBe(before);
    expect(server.peakMegabytes()).toBeLessThan(most);
  },
);

/** 255 to 304 MB were seen on Node 20; 411 where the base was decoded to a text of its own beside the present one. */
const mostBehind = most + 30;

test.skipIf(!hasStatus).each(wanted.filter(({ name }) => name === "edit_file" || name === "safe_patch"))(
  `${megabytes} MB $how, added to since the base, are changed by $name in less than ${mostBehind} MB`,
  async ({ text, name, args }) => {
    const server = startServer(text);
    const before = server.sha256();
    await server.apply("append_to_file", { content: "x\n" });
    await server.apply(name, { base_content_sha256: before, ...args }, /\((applied|state_mismatch)\)/);
    expect(server.peakMegabytes()).toBeLessThan(mostBehind);
  },
);

/** A server of little memory on a folder with this file. */
function startServer(text: string) {
  const project = new Project({ "f.md": text });
  // The state before and the one after as text are 100 MB of it.
  const flags = ["--max-old-space-size=128", program, "mcp", "--tools", "all", "--root", project.folder];
  const env = { PATH: process.env.PATH ?? "", HOLDFAST_STATE_DIR: join(new Project().folder, "state") };
  const server = spawn(process.execPath, flags, { env, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => endProcess(server));
  server.stdin.on("error", () => {});
  const say = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const capabilities = {};
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "t", version: "1" } };
  say({ id: "hello", method: "initialize", params });
  say({ method: "notifications/initialized" });
  const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  return {
    sha256: () =>
      createHash("sha256")
        .update(readFileSync(join(project.folder, "f.md")))
        .digest("hex"),
    peakMegabytes: () =>
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, "utf8"))?.[1]) / 1024,
    async apply(name: string, args: object, expected = /OK \(applied\)/) {
      const change = { name, arguments: { file_path: "f.md", ...args } };
      const send = () => say({ id: name, method: "tools/call", params: change });
      send();
      let answer = "";
      for (let next = await answers.next(); next.done !== true; next = await answers.next()) {
        answer = next.value;
        if (!answer.includes(`"id":"${name}"`)) continue;
        // A busy machine may not make it in the time that a change has.
        if (!answer.includes("FAILED (timeout)")) break;
        send();
      }
      expect(answer).toMatch(expected);
    },
  };
}
