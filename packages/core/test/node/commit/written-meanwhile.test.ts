import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openWorkspace } from "../../../src/node/index.js";
import { freshFolder, must, textAt } from "../support.js";

/** Appends to the log whenever something else happens in its folder, so often as it is told. */
const writer = `
const { appendFileSync, watch } = require("node:fs");
let [left, count] = [0, 0];
watch(process.argv[2], (_, name) => {
  if (name !== "dev.log" && left-- > 0) appendFileSync(process.argv[2] + "/dev.log", "theirs " + count++ + "\\n");
});
process.on("message", (times) => {
  left = times;
  process.send("ready");
});
`;

/** A folder with a log, and a program that writes into it right before the step of a call. */
async function newScene() {
  const top = freshFolder();
  const root = join(top, "root");
  mkdirSync(root);
  writeFileSync(join(root, "dev.log"), "begin\nlast\n");
  writeFileSync(join(top, "writer.cjs"), writer);
  const child = fork(join(top, "writer.cjs"), [root]);
  onTestFinished(() => void child.kill());
  const workspace = must(await openWorkspace({ roots: [root], stateDir: join(top, "state") }));
  const disturb = async (times: number) => {
    child.send(times);
    await once(child, "message");
  };
  return { workspace, disturb, text: () => textAt(join(root, "dev.log")) };
}

describe("a file that another program writes before the step", () => {
  it("gets what is appended in the same call, each time", async () => {
    const { workspace, disturb, text } = await newScene();
    for (let at = 0; at < 12; at += 1) {
      await disturb(6);
      const append = () => workspace.append({ path: "dev.log", content: `ours ${at}\n` });
      let done = await append();
      // Theirs went into our file while its step was taken back: that is kept apart, and told, so that the caller asks again.
      for (let left = 6; left > 0 && done.kind === "refusal"; left -= 1) {
        expect(done.message).toContain("At the same moment");
        done = await append();
      }
      expect(done, done.message).toMatchObject({ kind: "written" });
    }
    for (let at = 0; at < 12; at += 1) expect(text().split(`ours ${at}\n`)).toHaveLength(2);
    expect(text()).toContain("theirs");
  });

  it("is refused in the end where it never rests", async () => {
    const { workspace, disturb, text } = await newScene();
    await disturb(100_000);
    const codes = new Set<string>();
    for (let at = 0; at < 3; at += 1)
      codes.add((await workspace.append({ path: "dev.log", content: "ours\n" })).code);
    for (const code of codes) expect(["applied", "state_mismatch"]).toContain(code);
    expect(text()).toMatch(/^begin\nlast\n/u);
  });
});
