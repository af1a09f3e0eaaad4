/**
 * What every example plays: a file on a temporary folder, a person who saves it behind the model's back,
 * and the bytes that have to stand there in the end.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const before = "const wait = 2000;\nconst tries = 3;\n";
const person = "const wait = 3000;\nconst tries = 5;\n";
const after = "const wait = 2500;\nconst tries = 5;\n";

export function openScene() {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-example-"));
  const root = join(folder, "project");
  const file = join(root, "net.ts");
  mkdirSync(root);
  writeFileSync(file, before);
  return {
    root,
    stateDir: join(folder, "state"),
    /** Somebody saves the file in an editor, after the model has changed 3 tries to 5. */
    saveBehindTheModel() {
      say("a person", "saves net.ts in an editor: wait is 3000 now");
      writeFileSync(file, person);
    },
    /** Ends the scene; the process fails where the bytes are not those that were asked for. */
    close() {
      const found = readFileSync(file, "utf8");
      rmSync(folder, { recursive: true, force: true });
      say(
        "the disk",
        found === after ? "holds exactly what was asked for" : `holds ${JSON.stringify(found)}`,
      );
      if (found !== after) process.exitCode = 1;
    },
  };
}

/**
 * @param {string} who
 * @param {string} what
 */
export function say(who, what) {
  console.log(`${who.padEnd(9)} ${what.replaceAll("\n", `\n${" ".repeat(10)}`)}`);
}
