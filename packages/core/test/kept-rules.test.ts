import { utimesSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { ground } from "./support.js";

it("the rules of .holdfastignore count as they stand, however often they were asked for before", async () => {
  const { workspace, put, root } = await ground({
    ".holdfastignore": "one.txt\n",
    "one.txt": "1\n",
    "two.txt": "2\n",
  });
  const codeOf = async (path: string) => {
    const outcome = await workspace.read({ path });
    return outcome.kind === "refusal" ? outcome.code : outcome.kind;
  };
  const both = async () => [await codeOf("one.txt"), await codeOf("two.txt")];
  expect(await both()).toEqual(["ignored_path", "read"]);
  // Old enough to be kept.
  await pause(3_200);
  expect(await both()).toEqual(["ignored_path", "read"]);
  expect(await both()).toEqual(["ignored_path", "read"]);
  // As many bytes, and the same time of change for all that anybody can set.
  put(".holdfastignore", "two.txt\n");
  utimesSync(join(root, ".holdfastignore"), 1_000, 1_000);
  expect(await both()).toEqual(["read", "ignored_path"]);
  put(".holdfastignore", "one.txt\n");
  utimesSync(join(root, ".holdfastignore"), 1_000, 1_000);
  expect(await both()).toEqual(["ignored_path", "read"]);
});
