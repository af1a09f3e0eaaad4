import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { builtRoom, fixture, freshFolder, textAt } from "../support.js";

const lines = 30;
const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;

describe.skipIf(!hasPrlimit)("with few descriptors", () => {
  it.each(["+0", "+2", "+8", "34"])(
    "(%s) what is acknowledged stands in the file once, and nothing else",
    (limit) => {
      const top = freshFolder("holdfast-few-");
      const [root, state] = [join(top, "root"), join(top, "state")];
      mkdirSync(root);
      writeFileSync(join(root, "log.txt"), "begin\n");
      const args = [fixture("few-left.mjs"), builtRoom(), root, state, `${lines}`, limit];
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
      const codes: readonly string[] = JSON.parse(stdout || JSON.stringify([stderr]));
      expect(codes).toHaveLength(lines);
      expect(codes.filter((code) => code !== "applied" && code !== "busy")).toEqual([]);
      const written = codes.flatMap((code, line) => (code === "applied" ? [`line ${line}\n`] : []));
      expect(textAt(join(root, "log.txt"))).toBe(`begin\n${written.join("")}`);
      expect(readdirSync(root)).toEqual(["log.txt"]);
      // A handful is enough for every write: what was held for others is let go.
      if (limit === "+8" || !limit.startsWith("+")) expect(written).toHaveLength(lines);
    },
  );
});
