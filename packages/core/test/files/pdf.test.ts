import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openWorkspace } from "../../src/node/index.js";
import { freshFolder, must } from "../node/support.js";

it("a PDF is never text, however large, not even where all of its bytes could be", async () => {
  const top = realpathSync(freshFolder());
  const root = join(top, "root");
  mkdirSync(root);
  const head = "%PDF-1.4\n%\u00e2\u00e3\nneedle\n";
  writeFileSync(join(root, "ascii.pdf"), "%PDF-1.4\nneedle\n");
  writeFileSync(join(root, "latin.pdf"), Buffer.from(head, "latin1"));
  writeFileSync(join(root, "large.pdf"), Buffer.from(head + "x y z\n".repeat(400_000), "latin1"));
  writeFileSync(join(root, "about.txt"), "needle: a %PDF-1.4 head\n");
  const workspace = must(await openWorkspace({ roots: [root], stateDir: join(top, "state") }));
  for (const path of ["ascii.pdf", "latin.pdf", "large.pdf"]) {
    for (const request of [{ path }, { path, offset: 2, limit: 1 }, { path, encoding: "latin1" }]) {
      const read = await workspace.read(request);
      expect(read, JSON.stringify(request)).toMatchObject({ kind: "refusal" });
      if (path !== "large.pdf" || "offset" in request) expect(read).toMatchObject({ code: "binary" });
    }
    expect(await workspace.read({ path, offset: 1, limit: 1 })).toMatchObject({
      message: expect.stringMatching(/a PDF document, \d+ bytes.* sha256 is [0-9a-f]{64}/),
    });
  }
  expect(await workspace.search({ pattern: "needle" })).toMatchObject({
    matches: [{ path: "about.txt" }],
    skips: { binary: 3 },
  });
});
