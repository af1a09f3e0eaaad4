import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openFolder } from "../../../src/node/commit/real-path.js";
import { Cleanup, giveNewMode, makeStage, newStageName } from "../../../src/node/commit/stage.js";
import { freshFolder } from "../support.js";

it("a stage file is its owner's alone until it is given a mode", () => {
  const root = freshFolder();
  const folder = openFolder(root);
  if (folder === undefined) throw new Error("the folder cannot be opened");
  const name = newStageName();
  const modeNow = () => statSync(join(root, name)).mode & 0o777;
  const before = process.umask(0);
  try {
    const stage = makeStage({ folder, name: "f", shown: "f" }, Buffer.from("x"), name, new Cleanup());
    expect(modeNow()).toBe(0o600);
    giveNewMode(stage);
    expect(modeNow()).toBe(0o666);
  } finally {
    process.umask(before);
    folder.close();
  }
});
