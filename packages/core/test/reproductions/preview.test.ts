import { mkdirSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/files/index.js";
import type { Asked, WriteFileRequest } from "../../src/files/values/requests.js";
import { ground } from "../support.js";
import { openSession, sha } from "./scene.js";

/** A preview is the plan without the step. */

describe("a preview learns nothing", () => {
  it("so a refused one does not license a whole replacement without a hash", async () => {
    const { workspace, put, text, call } = openSession({ files: { "f.txt": "a\nb\n" } });
    await call("read_file", { file_path: "f.txt" });
    const [base, foreign] = [sha("a\nb\n"), "foreign\nb\n"];
    const refused = await workspace.preview({
      kind: "patch",
      path: "f.txt",
      diff: "@@ -1,1 +1,1 @@\n-zzz\n+y\n",
      base,
    });
    expect(refused.kind).not.toBe("preview");
    put("f.txt", foreign);
    const stale = await workspace.preview({ kind: "write", path: "f.txt", content: "new\n", base });
    expect(stale.kind).not.toBe("preview");
    const create = { command: "create", path: "f.txt", file_text: "blind\n" };
    expect((await call("str_replace_based_edit_tool", create)).code).toBe("state_mismatch");
    expect(text("f.txt")).toBe(foreign);
  });

  it("and takes no version", async () => {
    const { workspace } = openSession({ files: { "f.txt": "a\n" } });
    const versionOf = async () => {
      const outcome = await workspace.read({ path: "f.txt" });
      return outcome.kind === "read" ? outcome.state.version : 0;
    };
    const before = await versionOf();
    await workspace.preview({ kind: "write", path: "f.txt", content: "new\n", base: sha("a\n") });
    expect(await versionOf()).toBe(before + 1);
  });
});

describe("what was agreed to is what is written", () => {
  it("so a link that is led to another file with the same bytes is not followed", async () => {
    const on = await ground({ "t/x": "same\n", "t/y": "same\n" });
    mkdirSync(join(on.root, "links"));
    const link = join(on.root, "links/l");
    symlinkSync("../t/x", link);
    const request = { path: "links/l", content: "changed\n", base: sha("same\n") };
    await on.workspace.read({ path: "links/l" });
    const agreed = await agreedTo(on.workspace, request);
    unlinkSync(link);
    symlinkSync("../t/y", link);
    const outcome = await on.workspace.write(request, { agreed });
    expect(outcome.code).toBe("not_agreed");
    expect([on.text("t/x"), on.text("t/y")]).toEqual(["same\n", "same\n"]);
  });

  it("so a write that would come to something else is not made", async () => {
    const { workspace, text } = openSession({ files: { "f.txt": "a\n" } });
    await workspace.read({ path: "f.txt" });
    const request = { path: "f.txt", content: "b\n", base: sha("a\n") };
    const agreed = await agreedTo(workspace, request);
    const outcome = await workspace.write({ ...request, content: "c\n" }, { agreed });
    expect([outcome.code, text("f.txt")]).toEqual(["not_agreed", "a\n"]);
  });
});

/** What a person agrees to who was shown a preview of this write. */
async function agreedTo(workspace: Workspace, request: Asked<WriteFileRequest>) {
  const preview = await workspace.preview({ kind: "write", ...request });
  if (preview.kind !== "preview") throw new Error(preview.kind);
  return preview.files.map(({ agreed }) => agreed);
}
