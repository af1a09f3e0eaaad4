import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isRefusal } from "@holdfast/core/files/values";
import { openJournalStore, openWorkspace } from "@holdfast/core/node";
import { keyOf } from "../../packages/core/src/node/state-folder/locks.js";
import { formatIdentity, ownIdentity } from "../../packages/core/src/node/state-folder/sessions.js";
import { ensure, partsOf, type Target } from "../target.js";

const outside = "@OUT@";
const marks = {
  ...{ root: "@ROOT@", outside, dead: "@DEAD@", one: "@ONE@", two: "@TWO@" },
  ...{ check: '["@CHECK@",', key: '"@KEY@",' },
};

/**
 * A file in the state folder: its room and, behind `%%`, what it holds (`@ROOT@`, `@DEAD@`, `@ONE@`, `@TWO@`,
 * `["@CHECK@",` and `"@KEY@",` stand for the project, a process that is gone, two hashes, the right check and the key of a
 * line of the log). Held against: the
 * workspace opens, reads, writes and undoes; of a record whose check is wrong not one file of the project changes; no
 * content of the project is gone for good; nothing outside is touched.
 */
export const state: Target = {
  name: "state",
  words: [
    ...[
      "intents\n%%\n",
      "changes\n%%\n",
      "history\n%%\n",
      "operations\n%%\n",
      "set\n%%\n",
      "journal\n%%\n",
      ...Object.values(marks),
    ],
    ...[
      "a.txt",
      "b.txt",
      "../",
      "/",
      "\ncommitted\n",
      "\ntaken_back\n",
      "stageName",
      "keptName",
      "steps",
      "entry",
      "folders",
    ],
    ...[
      "before",
      "after",
      "realPath",
      ".holdfast-aaaaaaaaaaaaaaaaaaaaaaaaaa",
      "-swap",
      "displaced",
      "changeSet",
      "undoes",
    ],
  ],
  async run(input) {
    const ground = new Ground();
    try {
      const isProved = ground.put(input);
      await use(ground);
      await readSession(ground);
      ground.check(isProved);
    } finally {
      ground.remove();
    }
  },
};

const contents: Readonly<Record<string, string>> = {
  "a.txt": "one\n",
  "b.txt": "two\n",
  "sub/c.txt": "three\n",
  ".holdfast-aaaaaaaaaaaaaaaaaaaaaaaaaa": "four\n",
  ".holdfast-aaaaaaaaaaaaaaaaaaaaaaaaaa-swap": "five\n",
};

/** A project, a folder beside it and a state folder, on a disk in memory where there is one. */
class Ground {
  private readonly top = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "holdfast-fuzz-"));
  readonly root = join(this.top, "project");
  readonly stateDir = join(this.top, "state");
  private readonly beside = join(this.top, "beside");

  constructor() {
    for (const folder of [this.root, this.beside])
      for (const [name, text] of Object.entries(contents)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
  }

  /** @returns whether the record bears its right check, or needs none. */
  put(input: string): boolean {
    const [room, given] = partsOf(input);
    const text = this.filled(given);
    const path = this.pathOf(room.trim());
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (room.trim() === "intents" && text !== "" && !text.includes("\0") && Buffer.byteLength(text) < 4_096)
      symlinkSync(text, path);
    else writeFileSync(path, text);
    return room.trim() === "intents" || given.includes(marks.check);
  }

  private pathOf(room: string): string {
    const key = keyOf(join(this.root, "a.txt"));
    switch (room) {
      case "intents":
        return join(this.stateDir, "intents", key);
      case "history":
        return join(this.stateDir, "history", `${key}.jsonl`);
      case "operations":
        return join(this.stateDir, "operations", "2020-01-02.jsonl");
      case "set":
        return join(this.stateDir, "history", `${keyOf("set-1")}.set`);
      case "journal":
        return join(this.stateDir, "conversations", "s1.jsonl");
      default:
        return join(this.stateDir, "changes", "set-1");
    }
  }

  private filled(given: string): string {
    const dead = formatIdentity({ ...ownIdentity(), pid: 999_999_999 });
    const text = given
      .replaceAll(marks.root, this.root)
      .replaceAll(marks.dead, dead)
      .replaceAll(marks.one, hashOf("one\n"))
      .replaceAll(marks.two, hashOf("two\n"))
      .replaceAll(outside, this.beside);
    const key = createHash("sha256").update(join(this.root, "a.txt")).digest("base64url").slice(0, 6);
    const withKey = text.replaceAll(marks.key, `"${key}",`);
    return withKey.replace(
      /^\["@CHECK@",("[\w-]*",)?(.*)\]$/gm,
      (_, keys = "", json) => `["${hashOf(json).slice(0, 16)}",${keys}${json}]`,
    );
  }

  check(isProved: boolean): void {
    const names = new Set(
      Object.values(this.treeOf(this.root)).concat(Object.values(this.treeOf(this.stateDir))),
    );
    const project = this.treeOf(this.root);
    for (const [name, text] of Object.entries(contents)) {
      if (name.startsWith(".holdfast-")) continue;
      // A displaced file gets its name back; what had stood there was a state that a real write keeps first.
      const isGivenBack = name === "a.txt" && ["four\n", "five\n"].includes(project[name] ?? "");
      if (isProved) ensure(isGivenBack || names.has(text), "no content is gone for good", { name, project });
      else ensure(project[name] === text, "an unproved record changes nothing", { name, project });
    }
    const beside = this.treeOf(this.beside);
    for (const [name, text] of Object.entries(contents))
      ensure(
        beside[name] === text || name.startsWith(".holdfast-"),
        "nothing beside the project is touched",
        beside,
      );
  }

  private treeOf(folder: string): Readonly<Record<string, string>> {
    const tree: Record<string, string> = {};
    if (!existsSync(folder)) return tree;
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) tree[path.slice(folder.length + 1)] = readFileSync(path, "latin1");
    }
    return tree;
  }

  remove(): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}

/** What a person does next with a workspace: nothing of it may throw. */
async function use({ root, stateDir }: Ground): Promise<void> {
  const workspace = await openWorkspace({ roots: [root], stateDir });
  ensure(!isRefusal(workspace), "the workspace opens", workspace);
  try {
    await workspace.read({ path: "a.txt" });
    await workspace.log({ path: "a.txt" });
    const made = await workspace.write({ path: "new.txt", content: "new\n" });
    ensure(made.success, "another file can be written", made);
    const set = await workspace.applyChanges({
      changes: [{ path: "n2.txt", content: { kind: "text", text: "n\n" } }],
    });
    ensure(set.code === "applied", "a change set can be made", set);
    await workspace.undo({ path: "a.txt" });
  } finally {
    await workspace.close();
  }
}

async function readSession({ stateDir }: Ground): Promise<void> {
  const store = openJournalStore({ stateDir });
  ensure(!isRefusal(store), "the store opens", store);
  try {
    await store.list();
    for (const mode of ["read", "write"] as const) {
      const session = await store.open("s1", mode);
      if (!isRefusal(session)) await session.close();
    }
  } finally {
    await store.close();
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
