import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeGround, type ServerOptions, serverArguments } from "./server-process.js";

/** A client of the revision without questions from the server, and how often it was asked for its roots. */
async function connect(options: ServerOptions) {
  const ground = await makeGround();
  for (const name of ["one", "two"]) {
    await mkdir(join(ground.root, name));
    await writeFile(join(ground.root, name, "a.txt"), `in ${name}\n`);
  }
  const client = new Client(
    { name: "test-client", version: "1" },
    { capabilities: { roots: {} }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  const asked: string[] = [];
  let root = "one";
  client.setRequestHandler("roots/list", () => {
    asked.push(root);
    return { roots: [{ uri: pathToFileURL(join(ground.root, root)).href }] };
  });
  const args = serverArguments(ground, { ...options, byClient: true });
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  onTestFinished(() => client.close());
  return {
    asked,
    move(to: string) {
      root = to;
    },
    async call(name: string, args: Record<string, unknown>): Promise<string> {
      const { content } = await client.callTool({ name, arguments: args });
      const [first] = content;
      return first?.type === "text" ? first.text : "";
    },
  };
}

const read = ["read_file", { file_path: "a.txt" }] as const;

describe("the roots of a client that a server cannot ask by itself", () => {
  test("are asked for with the first call, and hold", async () => {
    const { asked, call } = await connect({});
    expect(await call(...read)).toContain("in one");
    for (let again = 0; again < 3; again++) expect(await call(...read)).toContain("in one");
    expect(asked).toEqual(["one"]);
  });

  test("are asked for again after their time, so that a change is followed", async () => {
    const { asked, call, move } = await connect({ rootsHoldMs: 0 });
    expect(await call(...read)).toContain("in one");
    move("two");
    expect(await call(...read)).toContain("in two");
    expect(asked).toEqual(["one", "two"]);
  });

  test("let calls that came at once be carried out once each", async () => {
    const { call } = await connect({});
    const write = (content: string) => call("append_to_file", { file_path: "log.txt", content });
    const done = await Promise.all(["a\n", "b\n", "c\n"].map(write));
    for (const text of done) expect(text).toContain("(applied)");
    const log = await call("read_file", { file_path: "log.txt" });
    for (const line of ["a", "b", "c"]) expect(log.match(new RegExp(`^${line}$`, "gm"))).toHaveLength(1);
  });
});
