import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, describe, expect, test } from "vitest";
import { Project, program, sha256 } from "../process.js";

/** The program as it is shipped, `holdfast mcp`, and the real client of the protocol's own library. */
const text = "alpha\nbeta\ngamma\n";
const open: Client[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

async function connect(
  args: readonly string[],
  cwd: string,
  revision: "2026-07-28" | "2025-11-25",
): Promise<Client> {
  const mode = { mode: revision === "2026-07-28" ? { pin: revision } : ("legacy" as const) };
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: mode });
  const env = { PATH: process.env.PATH ?? "", HOLDFAST_STATE_DIR: join(new Project().folder, "state") };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, "mcp", ...args], cwd, env }),
  );
  open.push(client);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const result = await client.callTool({ name, arguments: args });
  expect(result.isError ?? false).toBe(false);
  const [part] = result.content as readonly { readonly type: string; readonly text?: string }[];
  return part?.text ?? "";
}

const patchOf = (base: string, from: string, to: string) => ({
  file_path: "a.txt",
  unified_diff: `@@ -9 +9 @@\n-${from}\n+${to}\n`,
  base_content_sha256: base,
});

describe.each(["2026-07-28", "2025-11-25"] as const)("holdfast mcp and a real client (%s)", (revision) => {
  test("list, read, patch, meet a mismatch, recover, are refused, create, and call twice", async () => {
    const project = new Project({ "a.txt": text });
    const client = await connect([], project.folder, revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "read_file",
      "read_many_files",
      "list_files",
      "search_files",
      "edit_file",
      "safe_patch",
      "write_file",
      "append_to_file",
      "update_section",
      "move_file",
      "delete_file",
      "undo_edit",
    ]);
    expect(await call(client, "read_file", { file_path: "a.txt", wait_for_previous: true })).toContain(
      sha256(text),
    );
    expect(await call(client, "safe_patch", patchOf(sha256(text), "beta", "BETA"))).toMatch(
      /^OK \(applied\)/,
    );
    expect(await call(client, "safe_patch", patchOf(sha256(text), "beta", "BETA"))).toMatch(
      /^OK \(already_applied\)/,
    );
    const known = sha256("alpha\nBETA\ngamma\n");
    const behind = "alpha\nBETA\ngamma\nby hand\n";
    writeFileSync(join(project.folder, "a.txt"), behind);
    const mismatch = await call(client, "safe_patch", patchOf(known, "gamma", "GAMMA"));
    expect(mismatch).toMatch(/^FAILED \(state_mismatch\): State Mismatch/);
    expect(mismatch).toContain(sha256(behind));
    expect(await call(client, "safe_patch", patchOf(sha256(behind), "gamma", "GAMMA"))).toMatch(
      /^OK \(applied\)/,
    );
    expect(await call(client, "write_file", { file_path: "a.txt", content: "x" })).toMatch(
      /^FAILED \(missing_base\)/,
    );
    expect(await call(client, "write_file", { file_path: "new/b.txt", content: "x\n" })).toMatch(
      /^OK \(applied\)/,
    );
    const both = await Promise.all(
      ["1", "2"].map((n) => call(client, "write_file", { file_path: "same.txt", content: `${n}\n` })),
    );
    expect(both.map((reply) => reply.split(":")[0]).sort()).toEqual([
      "FAILED (missing_base)",
      "OK (applied)",
    ]);
    expect(project.text("a.txt")).toBe("alpha\nBETA\nGAMMA\nby hand\n");
  });

  test("several roots, read-only, and the seed's protocol to the letter", async () => {
    const [one, two] = [new Project({ "a.txt": text }), new Project({ "b.txt": text })];
    const args = ["--root", one.folder, "--root", two.folder, "--wire", "json", "--result-content", "full"];
    const client = await connect(args, one.folder, revision);
    const state = JSON.parse(await call(client, "read_file", { file_path: join(two.folder, "b.txt") }));
    expect(state).toEqual({
      file_path: join(two.folder, "b.txt"),
      version: 1,
      sha256: sha256(text),
      content: text,
    });
    const reader = await connect(["--read-only"], one.folder, revision);
    expect((await reader.listTools()).tools.map(({ name }) => name)).toEqual([
      "read_file",
      "read_many_files",
      "list_files",
      "search_files",
    ]);
    expect(await call(reader, "write_file", { file_path: "a.txt", content: "x" })).toMatch(
      /^FAILED \(read_only\)/,
    );
  });
});
