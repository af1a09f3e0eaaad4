// Becomes the user nobody and tries what an ordinary user meets: `node as-nobody.mjs BASE`.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { built } from "../machine.mjs";
import { sha } from "../races/ground.mjs";

const [, , base = ""] = process.argv;
process.setgroups?.([]);
process.setgid?.(65_534);
process.setuid?.(65_534);
const { openWorkspace } = await import(built.node);
const stateDir = mkdtempSync(join(tmpdir(), "holdfast-nobody-"));
const workspace = await openWorkspace({
  guards: { wholeReplacement: "hash" },
  roots: [join(base, "root")],
  stateDir,
});
const old = sha("old\n");
const answers = [
  await workspace.read({ path: "unreadable" }),
  await workspace.write({ path: "unwritable", content: "new\n", base: old }),
  await workspace.write({ path: "closed/f", content: "new\n", base: old }),
  await workspace.write({ path: "closed/new", content: "new\n" }),
];
console.log(answers.map(({ code }) => code).join(" "));
await workspace.close();
rmSync(stateDir, { recursive: true });
