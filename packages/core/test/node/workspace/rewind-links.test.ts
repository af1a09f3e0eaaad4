import { existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { recoverRestore } from "../../../src/conversation/index.js";
import { sha256 } from "../../../src/node/disk/reading.js";
import { must } from "../../conversation/support.js";
import { commands, does, edits, type Host, headOf, openHost, reads } from "./follow-ground.js";
import { newPlace } from "./restore-ground.js";

const opened: Host[] = [];
afterEach(async () => {
  for (const host of opened.splice(0)) await host.close();
});

describe("a rewind over links", () => {
  const links = { file: "real.txt", dangling: "gone.txt", out: "/etc/hostname" };
  const names = ["file", "dangling", "out"] as const;
  const linked = async () => {
    const host = await openHost(newPlace({ "real.txt": "real\n" }));
    opened.push(host);
    for (const name of names) symlinkSync(links[name], join(host.place.root, name));
    host.conversation.manager.commitStagedItems("go");
    return { ...host, start: headOf(host) };
  };
  const linkTexts = ({ place: { root } }: Host, folder = ".") =>
    Object.fromEntries(
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isSymbolicLink())
        .map(({ name }) => [name, readlinkSync(join(root, folder, name))]),
    );
  const textOf = ({ place: { root } }: Host) => readFileSync(join(root, "real.txt"), "utf8");
  const base = (name: (typeof names)[number]) => ({
    file_path: name,
    base_content_sha256: sha256(Buffer.from(links[name])),
  });

  it.each([
    ["deleted", false],
    ["deleted", true],
    ["moved", false],
    ["moved", true],
  ])("that were %s brings them back, and is taken back (read before: %s)", async (how, isRead) => {
    const host = await linked();
    if (isRead) for (const name of names) await reads(host, name);
    const read = headOf(host);
    for (const name of names)
      await (how === "deleted"
        ? does(host, "delete_file", base(name))
        : does(host, "move_file", { ...base(name), to: `in/${name}` }));
    expect(linkTexts(host)).toEqual({});
    for (const turn_id of [host.start, read]) {
      expect(await commands(host, "rewind", { turn_id, files: "restore" })).toMatchObject({ code: "ok" });
      expect([linkTexts(host), existsSync(join(host.place.root, "in/file"))]).toEqual([links, false]);
      const restored = { restore_id: headOf(host) };
      expect(await commands(host, "restore_files", restored)).toMatchObject({ code: "ok" });
      expect([linkTexts(host), how === "moved" ? linkTexts(host, "in") : links]).toEqual([{}, links]);
    }
    expect(textOf(host)).toBe("real\n");
  });

  it("takes the link for what it is where another state was seen through it, or asks", async () => {
    const host = await linked();
    await reads(host, "file");
    await edits(host, "file", "real", "mine");
    const written = headOf(host);
    await does(host, "delete_file", base("file"));
    const refused = await commands(host, "rewind", { turn_id: host.start, files: "restore" });
    expect(refused).toMatchObject({
      code: "files_in_conflict",
      text: expect.stringContaining("was a symbolic link then"),
    });
    expect([textOf(host), existsSync(join(host.place.root, "file"))]).toEqual(["mine\n", false]);
    expect(await commands(host, "rewind", { turn_id: written, files: "restore" })).toMatchObject({
      code: "ok",
    });
    expect([linkTexts(host), textOf(host)]).toEqual([links, "mine\n"]);
    await reads(host, "file");
    await opened.pop()?.close();
    const later = await openHost(host.place, host.conversation.manager.context.sessionId);
    opened.push(later);
    expect(later.conversation.files?.apart).toEqual([]);
    const consent = { files: "restore", consent: ["file"] };
    expect(await commands(later, "rewind", { turn_id: host.start, ...consent })).toMatchObject({
      code: "ok",
    });
    expect([linkTexts(later), textOf(later)]).toEqual([links, "real\n"]);
  });

  it("that a kill cut is settled by what stands at the links' own names", async () => {
    const host = await linked();
    for (const name of names) await does(host, "delete_file", base(name));
    const { manager } = host.conversation;
    const files = names.map((path) => ({ path, from: null, to: base(path).base_content_sha256 }));
    const ends = { restoreId: host.newId(), fromId: headOf(host), toId: host.start };
    must(manager.beginRestore({ ...ends, files }));
    for (const name of names) symlinkSync(links[name], join(host.place.root, name));
    expect(await recoverRestore(manager, host.workspace)).toMatchObject({
      kind: "restore_happened",
      changed: [],
    });
  });
});
