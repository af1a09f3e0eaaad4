import { describe, expect, it } from "vitest";
import { Workspace } from "../../src/files/index.js";
import { refuse } from "../../src/files/values/index.js";
import { memoryWith } from "../support.js";

/** A workspace in memory whose disk cannot open what has this name, for want of descriptors. */
function without(name: string, files: Readonly<Record<string, string>>) {
  const ports = memoryWith();
  const workspace = new Workspace(ports);
  for (const [path, content] of Object.entries(files))
    ports.disk.poke(path, new TextEncoder().encode(content));
  const { disk } = ports;
  const enter = disk.enter.bind(disk);
  disk.enter = async (path, missing) =>
    path.endsWith(name) ? refuse("busy", "this process has too many files open") : enter(path, missing);
  return workspace;
}

describe("while no descriptor is left for", () => {
  it("an owner's rules, what they may keep away is neither read nor written", async () => {
    const files = { ".holdfastignore": "secret.txt\n", "secret.txt": "kept away\n" };
    const workspace = without(".holdfastignore", files);
    expect(await workspace.read({ path: "secret.txt" })).toMatchObject({ kind: "refusal", code: "busy" });
    expect(await workspace.append({ path: "secret.txt", content: "x\n" })).toMatchObject({ code: "busy" });
  });

  it("an owner's rules, nothing is missing from what a search found", async () => {
    const workspace = without(".holdfastignore", { "a.txt": "one\n" });
    expect(await workspace.search({ pattern: "one", all: true })).toMatchObject({ code: "busy" });
  });

  it("an ignore file of a folder, the folder is not listed as if there were no rules", async () => {
    const workspace = without("sub/.gitignore", { "sub/.gitignore": "*.log\n", "sub/a.log": "" });
    expect(await workspace.list({ path: ".", depth: 3 })).toMatchObject({ kind: "refusal", code: "busy" });
  });
});
