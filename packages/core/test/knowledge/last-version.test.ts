import { describe, expect, it } from "vitest";
import { renderContext } from "../../src/context/index.js";
import { lastVersion, refreshTrackedFiles } from "../../src/conversation/index.js";
import { type Call, openTalk, type Talk } from "../reproductions/scene.js";

const read: Call = ["read_file", { file_path: "f.txt" }];
const edit: Call = ["edit_file", { file_path: "f.txt", edits: [{ old_string: "two", new_string: "2" }] }];

/** The versions that stand in the next prompt, in their order. */
function versionsIn({ manager }: Talk): readonly number[] {
  const prompt = JSON.stringify(renderContext(manager.context).contents);
  return [...prompt.matchAll(/ version=\\\\?"(\d+)/g)].map(([, digits]) => Number(digits));
}

describe("the last version of a conversation", () => {
  it("is that of the newest state that was handed out", async () => {
    const talk = await openTalk({ files: { "f.txt": "one\ntwo\n" } });
    expect(lastVersion(talk.manager.context)).toBe(0);
    await talk.call(...read);
    await talk.call(...edit);
    expect(lastVersion(talk.manager.context)).toBe(versionsIn(talk).at(-1));
  });

  it("counts branches that were left", async () => {
    const talk = await openTalk({ files: { "f.txt": "one\ntwo\n" } });
    await talk.call(...read);
    const last = lastVersion(talk.manager.context);
    talk.manager.rewind();
    talk.say("Another way.");
    expect(lastVersion(talk.manager.context)).toBe(last);
  });

  it("is that of a file that was put before the model without a call", async () => {
    const talk = await openTalk({ files: { "f.txt": "one\n" } });
    const { manager, workspace } = talk;
    workspace.countOn(6);
    manager.trackFile("f.txt");
    await refreshTrackedFiles({ manager, read: (request) => workspace.read(request), into: "branch" });
    expect(lastVersion(manager.context)).toBe(7);
  });

  const ways: readonly (readonly [string, (talk: Talk) => Promise<Talk>])[] = [
    ["a session that is resumed goes on from it", (talk) => talk.resume()],
    ["a fork goes on from it", (talk) => talk.fork()],
  ];
  it.each(ways)("%s, so that the highest in the prompt is the newest", async (_, go) => {
    const before = await openTalk({ files: { "f.txt": "one\ntwo\n" } });
    for (let time = 0; time < 3; time++) await before.call(...read);
    const last = lastVersion(before.manager.context);
    const talk = await go(before);
    await talk.call(...edit);
    await talk.call(...read);
    const versions = versionsIn(talk);
    expect(versions).toEqual(versions.toSorted((one, other) => one - other));
    expect(versions.at(-1)).toBeGreaterThan(last);
  });
});

describe("a workspace", () => {
  it("counts on from a version, and never back", async () => {
    const { workspace } = await openTalk({ files: { "f.txt": "one\n" } });
    const versionOf = async () => {
      const outcome = await workspace.read({ path: "f.txt" });
      return outcome.kind === "read" ? outcome.state.version : 0;
    };
    expect(await versionOf()).toBe(1);
    workspace.countOn(40);
    expect(await versionOf()).toBe(41);
    workspace.countOn(7);
    expect(await versionOf()).toBe(42);
  });
});
