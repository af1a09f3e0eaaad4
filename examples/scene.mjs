/**
 * What every example plays: a file on a temporary folder, a person who saves it behind the model's back,
 * what the model has to be told of that, and the bytes that have to stand there in the end.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const before = "const wait = 2000;\nconst tries = 3;\n";
const edited = "const wait = 2000;\nconst tries = 5;\n";
const person = "const wait = 3000;\nconst tries = 5;\n";
const after = "const wait = 2500;\nconst tries = 5;\n";

/** What the tools have to answer, in this order; other answers may stand between. */
const story = /** @type {const} */ ([
  ["a read that shows the file", /const wait = 2000;[\s\S]*const tries = 3;/],
  ["an edit that lands", /OK \(applied\)|Successfully replaced/],
  [
    "a stale edit refused, with the change",
    /state_mismatch[\s\S]*\n-const wait = 2000;\n\+const wait = 3000;\n/,
  ],
  ["an edit of the present state that lands", /OK \(applied\)|Successfully replaced/],
]);

export function openScene() {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-example-"));
  const root = join(folder, "project");
  const file = join(root, "net.ts");
  mkdirSync(root);
  writeFileSync(file, before);
  /** @type {string[]} */
  const answers = [];
  return {
    root,
    stateDir: join(folder, "state"),
    /** For programs that keep something in a home folder. */
    home: folder,
    /**
     * Takes down what a tool answered, as the model was sent it.
     *
     * @param {string} answer
     */
    hear(answer) {
      say("the tool", answer);
      answers.push(answer);
    },
    /** Somebody saves the file in an editor, after the model has changed 3 tries to 5. */
    saveBehindTheModel() {
      assert.equal(readFileSync(file, "utf8"), edited, "the first edit is on disk");
      say("a person", "saves net.ts in an editor: wait is 3000 now");
      writeFileSync(file, person);
    },
    /** Ends the scene; the process fails where anything was not told or written as it had to be. */
    close() {
      const found = readFileSync(file, "utf8");
      rmSync(folder, { recursive: true, force: true });
      holdAgainstStory(answers);
      assert.equal(found, after, "the bytes on disk");
      say("the disk", "holds exactly what was asked for");
    },
  };
}

/** @param {readonly string[]} answers */
function holdAgainstStory(answers) {
  let at = 0;
  for (const [what, form] of story) {
    const found = answers.findIndex((answer, index) => index >= at && form.test(answer));
    assert.notEqual(found, -1, `the tools answered ${what}`);
    at = found + 1;
  }
}

/**
 * @param {string} who
 * @param {string} what
 */
export function say(who, what) {
  console.log(`${who.padEnd(9)} ${what.replaceAll("\n", `\n${" ".repeat(10)}`)}`);
}
