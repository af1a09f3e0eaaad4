import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ground } from "../support.js";

/** Other systems give no such name to a file. */
it.skipIf(process.platform !== "linux")(
  "files and folders whose names are no UTF-8 are counted where they are not looked into",
  async () => {
    const { workspace, root } = await ground({ "a.txt": "one\n" });
    const named = (...bytes: number[]) =>
      Buffer.concat([Buffer.from(join(root, "caf")), Buffer.of(...bytes)]);
    writeFileSync(Buffer.concat([named(0xe9), Buffer.from(".txt")]), "one\n");
    mkdirSync(named(0xff));
    writeFileSync(Buffer.concat([named(0xff), Buffer.from("/b.txt")]), "one\n");
    expect(await workspace.search({ pattern: "one" })).toMatchObject({
      matches: [{ path: "a.txt" }],
      skips: { unreadable: 1, closedFolders: 1 },
    });
    expect(await workspace.search({ pattern: "one", globs: ["*.md"] })).toMatchObject({
      skips: { unreadable: 0, closedFolders: 1 },
    });
    expect(await workspace.find({ glob: "b.txt" })).toMatchObject({ files: [], closedFolders: 1 });
    expect(await workspace.list({ depth: 2 })).toMatchObject({ closed: ["caf\\xff"] });
    expect(await workspace.list({ depth: 1 })).not.toHaveProperty("closed");
  },
);
