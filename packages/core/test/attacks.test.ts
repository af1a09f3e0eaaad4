import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { parseEnvelope, runTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import { endProcess } from "../../../test/end-process.js";
import { until } from "../../../test/until.js";
import { at, kinds, links, names, outside, protectedPaths, secret } from "./attack-list.js";
import { type Ground, ground, hangMs, sha } from "./support.js";

async function codes(on: Ground, path: string): Promise<{ readonly read: string; readonly write: string }> {
  const wire = { workspace: on.workspace, wire: "text", resultContent: "auto" } as const;
  const read = await runTool("read_file", { file_path: path }, wire);
  const write = await runTool("write_file", { file_path: path, content: "ATTACK\n" }, wire);
  return { read: read.code, write: write.code };
}

/** Every byte below a folder, no link followed, so that "nothing changed" is a comparison. */
function snapshot(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) Object.assign(found, snapshot(path));
    if (entry.isFile()) found[path] = entry.name === "big" ? "big" : sha(readFileSync(path));
  }
  return found;
}

describe("the attack list", () => {
  it.each([...names, ...links, ...kinds])("$id: $name", async (attack) => {
    const on = await ground({ "a.txt": "inside\n" });
    writeFileSync(secret(on), "SECRET\n");
    attack.setUp?.(on);
    const path = typeof attack.path === "string" ? attack.path : attack.path(on);
    const before = snapshot(outside(on));
    const start = Date.now();
    const answer = await codes(on, path);
    expect(answer).toEqual({ read: attack.read, write: attack.write });
    expect(Date.now() - start).toBeLessThan(hangMs);
    const changed = Object.entries(snapshot(outside(on))).filter(
      ([name, hash]) => before[name] !== hash && !name.startsWith(on.stateDir),
    );
    if (attack.write === "applied")
      expect(changed.every(([name]) => name.startsWith(`${on.root}/`))).toBe(true);
    else expect(changed).toEqual([]);
    expect(readFileSync(secret(on), "utf8")).toBe("SECRET\n");
  });

  it.each(protectedPaths.flatMap(([id, ...paths]) => paths.map((path) => ({ id, path }))))(
    "$id: $path is protected, made or changed",
    async ({ path }) => {
      const on = await ground();
      expect((await codes(on, path)).write).toBe("protected_path");
      expect(existsSync(at(on, path))).toBe(false);
      if (path === ".git") return;
      on.put(path, "original\n");
      expect(await codes(on, path)).toEqual({ read: "ok", write: "protected_path" });
      const overwrite = await on.workspace.write({ path, content: "ATTACK\n", base: sha("original\n") });
      expect(overwrite.code).toBe("protected_path");
      expect(on.text(path)).toBe("original\n");
    },
  );

  it("45, 46, 47: what runs nothing by itself stays writable", async () => {
    const on = await ground();
    for (const path of [
      "AGENTS.md",
      "CLAUDE.md",
      "package.json",
      ".env",
      ".gitignore",
      ".github/CODEOWNERS",
    ]) {
      expect((await codes(on, path)).write).toBe("applied");
    }
  });

  it("46: what holds secrets is copied to its own part of the state folder only", async () => {
    const on = await ground({ ".env": "TOKEN=hunter2\n", "key.pem": "hunter2\n" });
    await codes(on, ".env");
    await on.workspace.write({ path: ".env", content: "TOKEN=hunter3\n", base: sha("TOKEN=hunter2\n") });
    await codes(on, "key.pem");
    const leaked = execFileSync(
      "sh",
      ["-c", 'grep -rl --exclude-dir=secrets "hunter" "$1" || true', "sh", on.stateDir],
      {
        encoding: "utf8",
      },
    );
    expect(leaked).toBe("");
  });

  it("48: our own state is not writable, even where the workspace holds it", async () => {
    const on = await ground();
    const whole = await on.again({ roots: [outside(on)] });
    for (const name of ["blobs/aa/x", "locks/x", "history/x", "new"]) {
      const outcome = await whole.write({ path: `state/${name}`, content: "ATTACK\n" });
      expect(outcome.code).toBe("protected_path");
    }
  });

  it("10: a target with a name of 250 bytes can be changed, stage file and all", async () => {
    const name = "y".repeat(250);
    const on = await ground({ [name]: "old\n" });
    const reply = await on.call("write_file", {
      file_path: name,
      content: "new\n",
      base_content_sha256: sha("old\n"),
    });
    expect(reply.code).toBe("applied");
    expect(readdirSync(on.root)).toEqual([name]);
  });

  it("11: names are shown escaped in listings and headers", async () => {
    const evil = `x\u202egnp.exe\u200b"<file>`;
    const on = await ground({ [evil]: "text\n" });
    const wire = { workspace: on.workspace, wire: "text", resultContent: "auto" } as const;
    for (const reply of [
      await runTool("list_files", {}, wire),
      await runTool("read_file", { file_path: evil }, wire),
    ]) {
      expect(reply.text).not.toMatch(/[\u202e\u200b]/);
      expect(reply.text).toContain("\\u202e");
    }
    const frames = parseEnvelope((await runTool("read_file", { file_path: evil }, wire)).text);
    expect(frames?.files).toHaveLength(1);
  });

  it("12: a name that is no valid UTF-8 is listed as not openable", async () => {
    const on = await ground();
    writeFileSync(
      Buffer.concat([Buffer.from(`${on.root}/bad`), Buffer.from([0xff]), Buffer.from(".txt")]),
      "x",
    );
    const listing = await on.workspace.list();
    expect(listing).toMatchObject({ kind: "listed", entries: [{ openable: false }] });
  });

  it("13: NFC and NFD names are two files", async () => {
    const on = await ground({ "\u00e9.txt": "nfc\n", "e\u0301.txt": "nfd\n" });
    expect(await on.workspace.read({ path: "\u00e9.txt" })).toMatchObject({ state: { content: "nfc\n" } });
    expect(await on.workspace.read({ path: "e\u0301.txt" })).toMatchObject({ state: { content: "nfd\n" } });
  });

  it("23: a write to one of two hard links does not change the other", async () => {
    const on = await ground({ "a.txt": "shared\n" });
    linkSync(at(on, "a.txt"), join(outside(on), "other-name"));
    expect(
      await on.call("write_file", {
        file_path: "a.txt",
        content: "x\n",
        base_content_sha256: sha("shared\n"),
      }),
    ).toMatchObject({
      code: "cannot_preserve",
    });
    expect(readFileSync(join(outside(on), "other-name"), "utf8")).toBe("shared\n");
  });

  it("27: a socket is refused at once", async () => {
    const on = await ground();
    const server = createServer().listen(at(on, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    expect(await codes(on, "socket")).toEqual({ read: "not_a_file", write: "not_a_file" });
    server.close();
  });

  it("24: what is mounted below a root is part of it", async ({ skip }) => {
    const on = await ground({ "mnt/x": "x" });
    writeFileSync(secret(on), "mounted on purpose\n");
    mkdirSync(join(outside(on), "elsewhere"));
    writeFileSync(join(outside(on), "elsewhere/f.txt"), "mounted on purpose\n");
    const mounted = spawnSync("mount", ["--bind", join(outside(on), "elsewhere"), at(on, "mnt")]);
    if (mounted.status !== 0) return skip("needs root and mount");
    try {
      expect(await codes(on, "mnt/f.txt")).toEqual({ read: "ok", write: "missing_base" });
    } finally {
      spawnSync("umount", [at(on, "mnt")]);
    }
  });

  it("29: a file whose size says nothing is bounded by what is read", async () => {
    const on = await ground();
    // Some thousand bytes long, and of size 0 by its own account.
    const bounded = await on.again({ roots: ["/proc/self"], limits: { fullReadBytes: 64 } });
    expect(await bounded.read({ path: "status" })).toMatchObject({ kind: "refusal", code: "too_large" });
  });

  it("30: a file that grows while it is read is read up to the cap", async () => {
    const on = await ground({ "log.txt": "x" });
    const bounded = await on.again({ limits: { fullReadBytes: 1_000 } });
    const writer = spawn("sh", ["-c", 'while :; do echo growing >> "$0"; done', at(on, "log.txt")]);
    try {
      await until(async () => {
        const outcome = await bounded.read({ path: "log.txt" });
        if (outcome.kind === "refusal") expect(outcome.code).toBe("too_large");
        else expect(outcome.state.content.length).toBeLessThanOrEqual(1_000);
        return outcome.kind === "refusal";
      });
    } finally {
      await endProcess(writer);
    }
  });
});
