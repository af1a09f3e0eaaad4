import { isRefusal, runTool, Workspace, type WorkspaceOptions } from "@holdfast/core";
import { openPorts } from "@holdfast/core/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { ground, sha } from "./support.js";
import { turnsDuring } from "./turns.js";

/** Heavy work in one process, and how often others had their turn meanwhile: a count, so that no load breaks it. */
describe("whatever else the process does has its turn while", () => {
  it("a large folder is listed", async () => {
    const names = Array.from({ length: 5_000 }, (_, at) => [`d/file${at}.txt`, ""] as const);
    const { workspace } = await ground(Object.fromEntries(names));
    const { result, turns } = await turnsDuring(() => workspace.list({ path: "d", limit: 10 }));
    expect(isRefusal(result)).toBe(false);
    // Reading the names and looking at each: once for every thousand.
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it("20,000 globs are compiled", async () => {
    const { workspace } = await ground({}, { limits: { searchMs: 60_000 } });
    const exclude = Array.from({ length: 20_000 }, (_, at) => `*${at}x*`);
    const { result, turns } = await turnsDuring(() => workspace.find({ glob: "*", exclude }));
    expect(result).toMatchObject({ kind: "found" });
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  it("200,000 places are edited", async () => {
    const { workspace, text } = await slow("a\n".repeat(200_000));
    const { result, turns } = await turnsDuring(() => workspace.edit(everyPlace(text())));
    expect(result).toMatchObject({ code: "applied" });
    expect(text()).toBe("b\n".repeat(200_000));
    expect(turns).toBeGreaterThanOrEqual(20);
  });

  it("a large file is hashed", async () => {
    const { workspace, text } = await slow("a\n".repeat(10_000_000), { changeLines: 20_000_000 });
    const { result, turns } = await turnsDuring(() => workspace.append({ path: "f.txt", content: "b\n" }));
    expect(result).toMatchObject({ code: "applied" });
    expect(text().length).toBe(20_000_002);
    // Twice ten pieces: the old bytes and the new ones.
    expect(turns).toBeGreaterThanOrEqual(20);
  });
});

describe("an edit", () => {
  it("that is not over in time is refused by name, and nothing is written", async () => {
    const { workspace, text } = await slow("a\n".repeat(200_000), { editMs: 100 });
    expect(await workspace.edit(everyPlace(text()))).toMatchObject({ kind: "refusal", code: "timeout" });
    expect(text()).toBe("a\n".repeat(200_000));
  });

  it("of more than a million places is refused by name, and nothing is written", async () => {
    const { workspace, text } = await slow("a".repeat(1_000_001));
    const refused = await workspace.edit(everyPlace(text()));
    expect(refused).toMatchObject({ kind: "refusal", code: "too_large" });
    expect(refused.message).toContain("1,000,000");
    expect(text()).toBe("a".repeat(1_000_001));
  });
});

it("a listing that the time cuts says so", async () => {
  const names = Array.from({ length: 100 }, (_, at) => [`file${at}.txt`, ""] as const);
  const { workspace } = await slow("", { searchMs: 20 }, Object.fromEntries(names));
  expect(await workspace.list()).toMatchObject({ kind: "listed", more: true, because: "time" });
  const reply = await runTool("list_files", {}, { workspace });
  expect(reply.text).toContain("The time is up");
  expect(await workspace.list({ limit: 1 })).toMatchObject({ more: true, because: "limit" });
});

it("a section of a document that is too large to be parsed at once is refused by name", async () => {
  const document = `# A\n\nold\n\n${"text\n".repeat(220_000)}`;
  const { workspace, text } = await slow(document);
  const request = { path: "f.txt", sectionHeader: "# A", newContent: "new" };
  expect(await workspace.updateSection(request)).toMatchObject({ kind: "refusal", code: "too_large" });
  expect(text()).toBe(document);
});

function everyPlace(before: string) {
  const edits = [{ oldString: "a", newString: "b", replaceAll: true }];
  return { path: "f.txt", edits, base: sha(before) };
}

/** A workspace for whose clock each look takes a millisecond, however fast the machine is. */
async function slow(
  content: string,
  limits: WorkspaceOptions["limits"] = {},
  files: Readonly<Record<string, string>> = {},
) {
  const { root, stateDir, text } = await ground({ "f.txt": content, ...files });
  const ports = await openPorts({ roots: [root], stateDir });
  if (isRefusal(ports)) throw new Error(ports.message);
  onTestFinished(() => ports.close());
  let now = 0;
  const workspace = new Workspace(
    { ...ports, clock: { now: () => ++now } },
    { limits: { editMs: 60_000, ...limits } },
  );
  return { workspace, text: () => text("f.txt") };
}
