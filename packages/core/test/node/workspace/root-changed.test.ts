import { mkdirSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openWorkspace } from "../../../src/node/index.js";
import { freshFolder, must, textAt } from "../support.js";

it("a root that was moved or deleted is neither read nor written, by name", async () => {
  const top = realpathSync(freshFolder());
  const root = join(top, "root");
  mkdirSync(root);
  writeFileSync(join(root, "f"), "old\n");
  const workspace = must(await openWorkspace({ roots: [root], stateDir: join(top, "state") }));
  const codes = async () => [
    (await workspace.append({ path: "f", content: "more\n" })).code,
    (await workspace.append({ path: "new/g", content: "more\n" })).code,
    (await workspace.applyChanges({ changes: [{ path: "h", content: { kind: "text", text: "h\n" } }] })).code,
    ...[await workspace.read({ path: "f" }), await workspace.list({})].map((one) =>
      one.kind === "refusal" ? one.code : one.kind,
    ),
  ];
  const refused = Array.from({ length: 5 }, () => "root_changed");
  renameSync(root, join(top, "away"));
  expect(await codes()).toEqual(refused);
  expect(textAt(join(top, "away", "f"))).toBe("old\n");
  expect(readdirSync(join(top, "away"))).toEqual(["f"]);
  renameSync(join(top, "away"), root);
  expect((await workspace.append({ path: "f", content: "more\n" })).code).toBe("applied");
  expect(textAt(join(root, "f"))).toBe("old\nmore\n");
  rmSync(root, { recursive: true });
  expect(await codes()).toEqual(refused);
  await workspace.close();
});
