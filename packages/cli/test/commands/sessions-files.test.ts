import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { Project, sha256 } from "../process.js";

const player = fileURLToPath(new URL("play-scene.mjs", import.meta.url));

const before = {
  "edited.txt": "one\r\ntwo\r\nthree",
  "gone.txt": Buffer.from("\u{feff}soon gone\n"),
  "other.txt": Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x00, 0x01]),
};

/** A project in which a session has edited one file, deleted one and made one. */
class Scene {
  readonly project = new Project(
    Object.fromEntries(Object.entries(before).map(([name, content]) => [join("work", name), content])),
  );
  readonly folder = join(this.project.folder, "work");
  readonly stateDir = join(this.project.folder, "state");
  readonly session: string;
  readonly start: string;

  constructor() {
    const args = [player, this.folder, this.stateDir, sha256(before["gone.txt"])];
    const played = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
    this.session = played.session;
    this.start = played.start;
  }

  /** `holdfast sessions files`, for the session of this scene. */
  files(...args: readonly string[]) {
    const place = ["--state-dir", this.stateDir, "--root", this.folder];
    return this.project.run(["sessions", "files", this.session, ...args, ...place]);
  }

  async json(...args: readonly string[]) {
    const { code, stdout } = await this.files(...args, "--json");
    return { code, said: JSON.parse(stdout) };
  }

  /** Every file of the project, by name, as its bytes. */
  bytes(): Readonly<Record<string, Buffer>> {
    const names = readdirSync(this.folder).sort();
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(this.folder, name))]));
  }

  async head(): Promise<string> {
    const place = ["--state-dir", this.stateDir, "--json"];
    const shown = await this.project.run(["sessions", "show", this.session, ...place]);
    return JSON.parse(shown.stdout).head.id;
  }
}

const asBytes = Object.fromEntries(Object.entries(before).map(([name, text]) => [name, Buffer.from(text)]));

describe("holdfast sessions files", () => {
  test("says what putting back would do, file by file; refuses what is not there, and moves nothing", async () => {
    const scene = new Scene();
    const [head, there] = [await scene.head(), scene.bytes()];
    expect(await scene.files()).toMatchObject({ code: 0, stdout: "No file would be put back.\n" });
    expect(await scene.files("--node", scene.start)).toMatchObject({
      code: 0,
      stderr: "",
      stdout: [
        "With --restore:",
        "edited.txt: put back; this conversation changed it.",
        "gone.txt: made again; this conversation deleted it.",
        "made.txt: deleted again; this conversation left it.",
        "",
      ].join("\n"),
    });
    const by = "this conversation";
    const edited = sha256(before["edited.txt"]);
    expect(await scene.json("--node", scene.start)).toEqual({
      code: 0,
      said: {
        success: true,
        files: [
          { path: "edited.txt", kind: "restore", from: sha256("one\r\nTWO\r\nthree"), to: edited, by },
          { path: "gone.txt", kind: "deleted", from: null, to: sha256(before["gone.txt"]), by },
          { path: "made.txt", kind: "created", from: sha256("made\n"), to: null, by },
        ],
        unknown: [],
      },
    });
    expect(scene.bytes()).toEqual(there);
    expect(await scene.head()).toBe(head);
    expect(await scene.files("--node", "nowhere")).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("unknown_node"),
    });
    expect(await scene.json("--node", "nowhere", "--restore")).toMatchObject({
      code: 3,
      said: { success: false, code: "unknown_node" },
    });
    expect(await scene.json("--undo", scene.start, "--restore")).toMatchObject({
      code: 4,
      said: { success: false, code: "invalid_arguments" },
    });
    const wrong = [["--node", scene.start, "--undo", scene.start], ["--leave"], ["--consent", "made.txt"]];
    for (const args of wrong) expect(await scene.files(...args)).toMatchObject({ code: 2 });
    expect(scene.bytes()).toEqual(there);
  });

  test("puts them back to the byte, and takes that back to the byte", async () => {
    const scene = new Scene();
    const there = scene.bytes();
    const restored = await scene.files("--node", scene.start, "--restore");
    expect(restored).toMatchObject({
      code: 0,
      stdout: "The conversation stays where it is; put back: edited.txt, gone.txt, made.txt.\n",
    });
    expect(scene.bytes()).toEqual(asBytes);
    const restore = await scene.head();
    expect((await scene.files("--node", scene.start)).stdout).toBe("No file would be put back.\n");
    expect((await scene.files("--undo", restore)).stdout).toContain("edited.txt: put back;");
    expect(scene.bytes()).toEqual(asBytes);
    const undone = await scene.json("--undo", restore, "--restore");
    const [edited, gone, made] = [
      sha256("one\r\nTWO\r\nthree"),
      sha256(before["gone.txt"]),
      sha256("made\n"),
    ];
    expect(undone).toEqual({
      code: 0,
      said: {
        success: true,
        turn_id: expect.any(String),
        restore_id: await scene.head(),
        files: [
          { path: "edited.txt", from: sha256(before["edited.txt"]), to: edited },
          { path: "gone.txt", from: gone, to: null },
          { path: "made.txt", from: null, to: made },
        ],
        left: [],
      },
    });
    expect(scene.bytes()).toEqual(there);
    // The undo is a restore, so it can be taken back, too.
    expect(await scene.files("--undo", await scene.head(), "--restore")).toMatchObject({ code: 0 });
    expect(scene.bytes()).toEqual(asBytes);
  });

  test("moves nothing where somebody else wrote; with consent it overwrites, keeps what it was, and brings that back", async () => {
    const scene = new Scene();
    scene.project.put("work/edited.txt", "mine, and nowhere else\n");
    const [head, there] = [await scene.head(), scene.bytes()];
    expect((await scene.files("--node", scene.start)).stdout).toContain(
      "edited.txt: CONFLICT (changed). The file is neither as the conversation left it nor as it is to be: somebody else changed it.\n",
    );
    const refused = await scene.files("--node", scene.start, "--restore");
    expect(refused).toMatchObject({ code: 3, stdout: "" });
    expect(refused.stderr).toContain("files_in_conflict");
    expect(refused.stderr).toContain("edited.txt");
    expect(await scene.json("--node", scene.start, "--restore")).toMatchObject({
      code: 3,
      said: { success: false, code: "files_in_conflict" },
    });
    const wrongOne = await scene.files("--node", scene.start, "--restore", "--consent", "made.txt");
    expect(wrongOne.code).toBe(3);
    expect(scene.bytes()).toEqual(there);
    expect(await scene.head()).toBe(head);
    const done = await scene.json("--node", scene.start, "--restore", "--consent", "edited.txt");
    expect(done).toMatchObject({ code: 0, said: { success: true, left: [] } });
    expect(scene.bytes()).toEqual(asBytes);
    expect(await scene.files("--undo", done.said.restore_id, "--restore")).toMatchObject({ code: 0 });
    expect(scene.bytes()).toEqual(there);
  });

  test("leaves it with --leave, and moves the others", async () => {
    const scene = new Scene();
    scene.project.put("work/edited.txt", "mine, and nowhere else\n");
    const there = scene.bytes();
    const done = await scene.json("--node", scene.start, "--restore", "--leave");
    expect(done).toMatchObject({
      code: 0,
      said: { success: true, left: [{ path: "edited.txt", why: "changed" }] },
    });
    expect(scene.bytes()).toEqual({ ...asBytes, "edited.txt": there["edited.txt"] });
    expect(await scene.files("--undo", done.said.restore_id, "--restore")).toMatchObject({ code: 0 });
    expect(scene.bytes()).toEqual(there);
  });
});
