import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@holdfast/core/conversation";
import { afterEach, describe, expect, it } from "vitest";
import type { ApprovalRule } from "../../src/config/approval.js";
import { openStage, type Stage } from "./stage.js";

const opened: Stage[] = [];
afterEach(async () => {
  for (const stage of opened.splice(0)) await stage.close();
});

/** A project with links into `secrets` and out of `docs`; the script is made once its place is known. */
async function stageWith(
  calls: (root: string) => readonly { readonly name: string; readonly args: JsonObject }[],
  mode: "yolo" | "ask",
  rules: readonly ApprovalRule[],
): Promise<Stage> {
  const stage = await openStage([]);
  const { root } = stage;
  for (const folder of ["secrets", "docs", "src"]) mkdirSync(join(root, folder));
  writeFileSync(join(root, "secrets/x.txt"), "secret\n");
  symlinkSync("secrets", join(root, "link"));
  symlinkSync("secrets/x.txt", join(root, "xl.txt"));
  symlinkSync("../src", join(root, "docs/l"));
  const script = [...calls(root).map((call) => ({ calls: [call] })), { text: "Done." }];
  const again = await stage.resume(script, { mode, rules });
  opened.push(again);
  return again;
}

const denySecrets: ApprovalRule = { tool: "*", path: "secrets/**", decision: "deny" };
const allowDocs: ApprovalRule = { tool: "write_file", path: "docs/**", decision: "allow" };
const write = (file_path: string) => ({ name: "write_file", args: { file_path, content: "new\n" } });
const hash = "{{sha256:secrets/x.txt}}";

describe("a rule about paths", () => {
  it.each<readonly [string, (root: string) => { readonly name: string; readonly args: JsonObject }]>([
    ["its own name", () => write("secrets/new.txt")],
    ["an absolute name", (root) => write(join(root, "secrets/new.txt"))],
    ["a folder that is a link", () => write("link/new.txt")],
    [
      "a link to the file",
      () => ({ name: "append_to_file", args: { file_path: "xl.txt", content: "new\n" } }),
    ],
    [
      "an absolute name of what is deleted",
      (root) => ({
        name: "delete_file",
        args: { file_path: join(root, "secrets/x.txt"), base_content_sha256: hash },
      }),
    ],
  ])("that denies holds for %s, in yolo too", async (_, call) => {
    const read = { name: "read_file", args: { file_path: "secrets/x.txt" } };
    const reads: ApprovalRule = { tool: "read_file", decision: "allow" };
    const stage = await stageWith((root) => [read, call(root)], "yolo", [reads, denySecrets]);
    expect(await stage.turn("Go.")).toMatchObject({ undone: [{ code: "denied" }] });
    expect(existsSync(join(stage.root, "secrets/new.txt"))).toBe(false);
    expect(stage.read("secrets/x.txt")).toBe("secret\n");
  });

  it("that allows is not widened by a link, and fits absolute names of its files", async () => {
    const stage = await stageWith((root) => [write("docs/l/a.ts"), write(join(root, "docs/a.md"))], "ask", [
      allowDocs,
    ]);
    expect(await stage.turn("Go.")).toMatchObject({ undone: [{ code: "denied" }] });
    expect(existsSync(join(stage.root, "src/a.ts"))).toBe(false);
    expect(stage.read("docs/a.md")).toBe("new\n");
  });
});
