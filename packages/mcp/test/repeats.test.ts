import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { endProcess } from "../../../test/end-process.js";
import { type Ground, makeGround, type ServerOptions, serverArguments, sha256 } from "./server-process.js";

interface Answer {
  readonly id?: number;
  readonly result?: { readonly content?: readonly { readonly text: string }[] };
}

/** A server process spoken to by hand. */
function launch(ground: Ground, options: ServerOptions = {}) {
  const child = spawn(process.execPath, serverArguments(ground, options), {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => endProcess(child));
  const exited = new Promise((resolve) => child.on("close", resolve));
  const waiting = new Map<number, (code: string) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    // The server's own words, one JSON value a line.
    const { id, result } = JSON.parse(line) as Answer;
    const text = result?.content?.[0]?.text ?? "";
    if (id !== undefined) waiting.get(id)?.(/\((\w+)\)/.exec(text)?.[1] ?? "");
  });
  const message = (body: object) => JSON.stringify({ jsonrpc: "2.0", ...body });
  const clientInfo = { name: "by-hand", version: "1" };
  const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  child.stdin.write(`${message({ id: 0, method: "initialize", params: hello })}\n`);
  child.stdin.write(`${message({ method: "notifications/initialized" })}\n`);
  return {
    call: (id: number, name: string, args: object) =>
      message({ id, method: "tools/call", params: { name, arguments: args } }),
    cancel: (id: number) => message({ method: "notifications/cancelled", params: { requestId: id } }),
    /** Says the lines at once. @returns the codes of the answers to these requests */
    say(lines: readonly string[], ids: readonly number[]): Promise<readonly string[]> {
      const codes = ids.map((id) => new Promise<string>((resolve) => waiting.set(id, resolve)));
      child.stdin.write(lines.map((line) => `${line}\n`).join(""));
      return Promise.all(codes);
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 2));
}

const added = { file_path: "f", content: "more\n" };

it("an append whose client went on without the answer is made once, and again after an answer", async () => {
  const ground = await makeGround();
  await ground.put("f", "one\n");
  const { call, cancel, say } = launch(ground);
  await say([call(1, "append_to_file", added), cancel(1), call(2, "list_files", {})], [2]);
  expect(await say([call(3, "append_to_file", added)], [3])).toEqual(["already_applied"]);
  expect(await ground.get("f")).toBe("one\nmore\n");
  expect(await say([call(4, "append_to_file", { content: "more\n", file_path: "f" })], [4])).toEqual([
    "applied",
  ]);
  expect(await ground.get("f")).toBe("one\nmore\nmore\n");
});

it("an undo that is sent again while the first is in flight takes one write back", async () => {
  const ground = await makeGround();
  const { call, say } = launch(ground);
  await say(
    [call(1, "append_to_file", added), call(2, "append_to_file", { ...added, content: "x\n" })],
    [1, 2],
  );
  const undo = { file_path: "f" };
  const codes = await say([call(3, "undo_edit", undo), call(4, "undo_edit", undo)], [3, 4]);
  expect(codes).toEqual(["applied", "already_applied"]);
  expect(await ground.get("f")).toBe("more\n");
});

const undone = { file_path: "f" };

it.each(["append_to_file", "prepend_to_file"] as const)(
  "the same %s once more, after what an unanswered one wrote was undone, is carried out",
  async (name) => {
    const ground = await makeGround();
    await ground.put("f", "one\n");
    const { call, cancel, say } = launch(ground, { tools: [name, "undo_edit", "list_files"] });
    await say([call(1, name, added), cancel(1), call(2, "list_files", {})], [2]);
    expect(await say([call(3, "undo_edit", undone)], [3])).toEqual(["applied"]);
    expect(await say([call(4, name, added)], [4])).toEqual(["applied"]);
    expect(await ground.get("f")).toBe(name === "append_to_file" ? "one\nmore\n" : "more\none\n");
  },
);

it("an undo after an unanswered undo and another write takes that write back", async () => {
  const ground = await makeGround();
  await ground.put("f", "one\n");
  const { call, cancel, say } = launch(ground);
  await say([call(1, "append_to_file", added)], [1]);
  await say([call(2, "undo_edit", undone), cancel(2), call(3, "list_files", {})], [3]);
  await say([call(4, "append_to_file", { ...added, content: "two\n" })], [4]);
  expect(await say([call(5, "undo_edit", undone)], [5])).toEqual(["applied"]);
  expect(await ground.get("f")).toBe("one\n");
});

it("an undo after an unanswered undo of a move and another move takes that move back", async () => {
  const ground = await makeGround();
  await ground.put("f", "one\n");
  const { call, cancel, say } = launch(ground);
  const moveTo = (to: string) => ({ file_path: "f", new_path: to, base_content_sha256: sha256("one\n") });
  expect(await say([call(1, "move_file", moveTo("g"))], [1])).toEqual(["applied"]);
  await say([call(2, "undo_edit", undone), cancel(2), call(3, "list_files", {})], [3]);
  expect(await say([call(4, "move_file", moveTo("h"))], [4])).toEqual(["applied"]);
  expect(await say([call(5, "undo_edit", undone)], [5])).toEqual(["applied"]);
  expect(await ground.get("f")).toBe("one\n");
  await expect(ground.get("h")).rejects.toThrow("ENOENT");
});

it("a call that was refused is no call that was made: the same again is carried out", async () => {
  const ground = await makeGround();
  const { call, cancel, say } = launch(ground);
  await say([call(1, "undo_edit", { file_path: "f" }), cancel(1), call(2, "append_to_file", added)], [2]);
  expect(await say([call(3, "undo_edit", { file_path: "f" })], [3])).toEqual(["applied"]);
});

it.each(["append_to_file", "undo_edit"])(
  "the same %s with its base, sent to the next server after a kill, is made once",
  async (name) => {
    const ground = await makeGround();
    await ground.put("f", "one\n");
    const first = launch(ground);
    const two = { file_path: "f", content: "two\n" };
    await first.say([first.call(1, "append_to_file", two)], [1]);
    await first.say([first.call(2, "append_to_file", { ...two, content: "three\n" })], [2]);
    const before = "one\ntwo\nthree\n";
    const after = name === "undo_edit" ? "one\ntwo\n" : `${before}more\n`;
    const args = {
      ...(name === "undo_edit" ? { file_path: "f" } : added),
      base_content_sha256: sha256(before),
    };
    void first.say([first.call(3, name, args)], [3]);
    await until(async () => (await ground.get("f")) === after);
    await first.kill();
    const next = launch(ground);
    expect(await next.say([next.call(4, name, args)], [4])).toEqual(["already_applied"]);
    expect(await ground.get("f")).toBe(after);
  },
);
