import { existsSync, readFileSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FileChange } from "../../src/files/values/index.js";
import { carryOut } from "../../src/tools/index.js";
import { carryApproved } from "../../src/tools/tool/approval.js";
import { must, openSession, openTalk } from "../reproductions/scene.js";
import { sha } from "../support.js";
import { makeGround, openMemory } from "./ground.js";

describe("a person who is asked before a change", () => {
  it("is asked about one that was refused when it was previewed and could be made by then", async () => {
    const scene = openSession({ files: { "f.txt": "one\n" } });
    await scene.call("read_file", { file_path: "f.txt" });
    const { workspace } = scene;
    let asked = 0;
    scene.put("f.txt", "other\n");
    const moved = {
      preview: async (...given: Parameters<typeof workspace.preview>) => {
        const outcome = await workspace.preview(...given);
        // Somebody puts the file back between the look and the step.
        scene.put("f.txt", "one\n");
        return outcome;
      },
      run: workspace.run.bind(workspace),
      begin: () => workspace.begin(),
    };
    const request = { kind: "write", path: "f.txt", content: "two\n", base: sha("one\n") } as const;
    const outcome = await carryApproved(moved, request, {}, async () => {
      asked += 1;
      return { kind: "no" };
    });
    expect([outcome.kind === "refusal" && outcome.code, asked, scene.text("f.txt")]).toEqual([
      "denied",
      1,
      "one\n",
    ]);
  });

  it("and gives another text does not make the model know that text", async () => {
    const talk = await openTalk({ files: { "f.txt": "one\n" } });
    const { manager, workspace } = talk;
    await talk.call("read_file", { file_path: "f.txt" });
    const args = { file_path: "f.txt", content: "two\n", base_content_sha256: sha("one\n") };
    must(
      manager.addAnswer({ step: "s", parts: [{ kind: "tool_call", callId: "c", name: "write_file", args }] }),
    );
    const content = Array.from({ length: 40 }, (_, at) => `mine ${at}\n`).join("");
    const request = { kind: "write", path: "f.txt", content, base: sha("one\n") } as const;
    const approve = async () => ({ kind: "instead", request }) as const;
    const carried = must(
      await carryOut({ callId: "c" }, { manager, workspace, approve, resultContent: "none" }),
    );
    expect([carried.code, talk.text("f.txt")]).toEqual(["applied", content]);
    const blind = { command: "create", path: "f.txt", file_text: "blind\n" };
    expect((await talk.call("str_replace_based_edit_tool", blind)).code).not.toBe("applied");
    expect(talk.text("f.txt")).toBe(content);
  });

  it.each([
    ["of a file that was never read", "one\ntwo\n", {}, "mine\ntwo\n", "mine\ntwo\n"],
    ["in other line endings", "one\r\ntwo\r\n", {}, "one\ntwo\n", "one\ntwo\n"],
    [
      "with a word for what it leaves",
      "one\ntwo\n",
      {},
      "one\n// ... rest of code\n",
      "one\n// ... rest of code\n",
    ],
    ["in the encoding of the call", "\xd0\n", { encoding: "koi8-r" }, "\u043f\u0434\n", "\xd0\xc4\n"],
  ])("may write another text %s", async (_, before, options, content, after) => {
    const latin = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));
    const { workspace, bytes } = openMemory({ "f.txt": latin(before) });
    const base = sha(latin(before));
    const request = { kind: "append", path: "f.txt", content: "more\n", ...options } as const;
    const approve = async () =>
      ({ kind: "instead", request: { kind: "write", path: "f.txt", content, base } }) as const;
    const outcome = await carryApproved(workspace, request, {}, approve);
    expect([outcome.code, bytes("f.txt").toString("latin1")]).toEqual(["applied", after]);
  });

  it("and leaves the text as it was has said no", async () => {
    const { workspace, get } = openMemory({ "f.txt": "one\n" });
    const request = { kind: "append", path: "f.txt", content: "two\n" } as const;
    const same = { kind: "write", path: "f.txt", content: "one\n", base: sha("one\n") } as const;
    const outcome = await carryApproved(workspace, request, {}, async () => ({
      ...{ kind: "instead", request: same, said: "The user edited this text." },
    }));
    expect(outcome).toMatchObject({
      code: "denied",
      message: "A person left the file as it was. Nothing was changed.",
    });
    expect(get("f.txt")).toBe("one\n");
  });

  it("and writes lines to a secret shows the caller none of it", async () => {
    const { workspace, get } = openMemory({ ".env": "KEY=hidden\n" });
    const request = { kind: "append", path: ".env", content: "A=1\n" } as const;
    const content = "KEY=hidden\nA=2\n";
    const instead = { kind: "write", path: ".env", content, base: sha("KEY=hidden\n") } as const;
    const outcome = await carryApproved(workspace, request, {}, async () => ({
      ...{ kind: "instead", request: instead, said: "The user edited this text." },
    }));
    expect([get(".env"), outcome]).toMatchObject([content, { code: "applied", state: { content: null } }]);
  });

  it("and takes long over a text does not write it over another state", async () => {
    const { workspace, put, get } = openMemory({ "f.txt": "one\n" });
    const request = { kind: "append", path: "f.txt", content: "two\n" } as const;
    const mine = { kind: "write", path: "f.txt", content: "mine\n", base: sha("one\n") } as const;
    const outcome = await carryApproved(workspace, request, {}, async () => {
      put("f.txt", "other\n");
      return { kind: "instead", request: mine };
    });
    expect([outcome.success, get("f.txt")]).toEqual([false, "other\n"]);
  });

  it.each([
    ["as they were", false, ["mine\r\ntwo\n", "", "one\n"]],
    ["of which one moved", true, ["one\r\ntwo\n", "gone\n", "other\n"]],
  ])("may change some of several files that were never read, %s", async (_, isMoved, after) => {
    const files = { "a.txt": "one\r\ntwo\n", "b.txt": "gone\n", "c.txt": "one\n" };
    const { workspace, put, root } = await makeGround(files);
    const one = (path: keyof typeof files, content: FileChange["content"]): FileChange => ({
      ...{ path, base: sha(files[path]), content },
    });
    const mine = one("a.txt", { kind: "text", text: "mine\r\ntwo\n" });
    const changes = [mine, one("b.txt", { kind: "delete" }), one("c.txt", { kind: "text", text: "two\n" })];
    const outcome = await carryApproved(workspace, { kind: "apply_changes", changes }, {}, async () => {
      if (isMoved) await put("c.txt", "other\n");
      return {
        kind: "instead",
        request: { kind: "apply_changes", changes: isMoved ? changes : changes.slice(0, 2) },
      };
    });
    const get = (name: string) =>
      existsSync(join(root, name)) ? readFileSync(join(root, name), "utf8") : "";
    expect([outcome.success, ...Object.keys(files).map(get)]).toEqual([!isMoved, ...after]);
  });

  it("and writes a text for a new file does not write it over one that was made meanwhile", async () => {
    const { workspace, put, get } = openMemory({}, { guards: { overwriteGuard: "warn" } });
    const request = { kind: "write", path: "f.txt", content: "two\n" } as const;
    const outcome = await carryApproved(workspace, request, {}, async () => {
      put("f.txt", "other\n");
      return { kind: "instead", request: { ...request, content: "mine\n" } };
    });
    expect([outcome.success, get("f.txt")]).toEqual([false, "other\n"]);
  });

  it.runIf(process.platform !== "win32")("and is led elsewhere meanwhile writes nothing there", async () => {
    const { workspace, root, put } = await makeGround();
    await put("a/kept.txt", "kept\n");
    await put("b/kept.txt", "kept\n");
    const link = join(root, "link");
    symlinkSync("a", link);
    const request = { kind: "write", path: "link/f.txt", content: "two\n" } as const;
    const outcome = await carryApproved(workspace, request, {}, async () => {
      unlinkSync(link);
      symlinkSync("b", link);
      return { kind: "instead", request: { ...request, content: "mine\n" } };
    });
    expect([outcome.success, existsSync(join(root, "b/f.txt"))]).toEqual([false, false]);
  });
});
