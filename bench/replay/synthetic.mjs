import { numberedFrom, Random, SyntheticFiles } from "./synthetic-files.mjs";

/**
 * What an agent does at work, by share: parts of 1. `pause` is that of tasks before which somebody was away for longer
 * than a cache lasts.
 *
 * @typedef {{ readonly files: number, readonly lines: readonly [number, number], readonly tasks: number,
 *   readonly steps: readonly [number, number], readonly read: number, readonly edit: number, readonly again: number,
 *   readonly part: number, readonly pause: number, readonly output: readonly [number, number] }} Habits
 */

/**
 * The sets of the table. Their sizes are those of long sessions that were measured (465 and 431 requests; a read of
 * 6,200 characters, 770 tokens a request in all).
 *
 * @type {Readonly<Record<"read-heavy" | "edit-heavy" | "shell-heavy" | "exploration", Habits>>}
 */
export const sets = {
  "read-heavy": {
    ...{ files: 60, lines: [30, 320], tasks: 16, steps: [16, 36] },
    ...{ read: 0.6, edit: 0.15, again: 0.5, part: 0.25, pause: 0.3, output: [100, 4_000] },
  },
  "edit-heavy": {
    ...{ files: 25, lines: [40, 400], tasks: 16, steps: [16, 36] },
    ...{ read: 0.3, edit: 0.4, again: 0.75, part: 0.2, pause: 0.3, output: [100, 6_000] },
  },
  "shell-heavy": {
    ...{ files: 40, lines: [30, 320], tasks: 16, steps: [16, 36] },
    ...{ read: 0.12, edit: 0.13, again: 0.5, part: 0.3, pause: 0.3, output: [200, 12_000] },
  },
  exploration: {
    ...{ files: 150, lines: [30, 400], tasks: 4, steps: [90, 130] },
    ...{ read: 0.55, edit: 0.04, again: 0.2, part: 0.5, pause: 0.5, output: [200, 8_000] },
  },
};

/**
 * A session that never was: an agent that reads files, edits lines that it has read, and runs commands. The same name
 * and seed give the same session.
 *
 * @param {keyof typeof sets} name
 * @param {number} seed
 * @param {number} longer so many times as many tasks
 * @returns {readonly import("./session.mjs").Block[]}
 */
export function syntheticSession(name, seed, longer = 1) {
  const { tasks, ...habits } = sets[name];
  return new Work({ ...habits, tasks: tasks * longer }, seed).session();
}

class Work {
  /** @type {import("./session.mjs").Block[]} */
  #blocks = [];
  #now = Date.UTC(2026, 0, 5, 9);
  #step = 0;
  /** Paths in the order in which they were last touched. @type {string[]} */
  #known = [];

  /** @param {Habits} habits @param {number} seed */
  constructor(habits, seed) {
    this.habits = habits;
    this.random = new Random(seed);
    this.files = new SyntheticFiles(this.random, habits.files, habits.lines);
  }

  session() {
    const { tasks, steps, pause } = this.habits;
    for (let task = 0; task < tasks; task++) {
      this.#now += this.random.next() < pause ? this.random.between(10, 90) * 60_000 : 40_000;
      this.#put("user", this.random.words(this.random.between(20, 120)));
      const count = this.random.between(...steps);
      for (let step = 0; step < count; step++) this.#answer();
      this.#now += this.random.between(4, 20) * 1_000;
      this.#put("model", this.random.words(this.random.between(40, 200)));
    }
    return this.#blocks;
  }

  #answer() {
    this.#step += 1;
    this.#now += this.random.between(4, 40) * 1_000;
    if (this.random.next() < 0.5) this.#put("model", this.random.words(this.random.between(8, 60)));
    const { read, edit } = this.habits;
    const kind = this.random.next();
    if (kind < read) this.#read();
    else if (kind < read + edit && this.#known.length > 0) this.#edit();
    else this.#command();
  }

  #read() {
    const { again, part } = this.habits;
    const isAgain = this.#known.length > 3 && this.random.next() < again;
    // What was touched lately is touched again soonest.
    const path = isAgain
      ? (this.#known[Math.floor(this.random.next() ** 2 * Math.min(12, this.#known.length))] ?? "")
      : this.files.anyPath();
    const lines = this.files.linesOf(path);
    const isPart = lines.length > 200 && this.random.next() < part;
    const offset = isPart ? this.random.between(1, lines.length - 150) : 1;
    const shown = isPart ? lines.slice(offset - 1, offset + 149) : lines;
    const range = isPart ? `offset=${offset},limit=150` : "";
    const args = isPart ? { file_path: path, offset, limit: 150 } : { file_path: path };
    this.#call("Read", args, numberedFrom(shown, offset), { kind: "read", path, range });
    this.#touch(path);
  }

  /** An edit of lines that were read; one that was not looked at lately is read again before. */
  #edit() {
    const at = Math.floor(this.random.next() ** 2 * Math.min(8, this.#known.length));
    const path = this.#known[at] ?? "";
    const { before, after } = this.files.change(path);
    const args = { file_path: path, old_string: before, new_string: after };
    const use = /** @type {const} */ ({ kind: "edit", path, edits: [{ before, after }] });
    this.#call("Edit", args, `The file ${path} has been updated successfully.`, use);
    this.#touch(path);
  }

  #command() {
    const [least, most] = this.habits.output;
    const isTold = this.random.next() < 0.15;
    const output = isTold
      ? "nothing to commit, working tree clean"
      : this.random.text(Math.floor(least + this.random.next() ** 2 * (most - least)));
    this.#call("Bash", { command: this.random.words(6) }, output, undefined);
  }

  /**
   * @param {string} name @param {Readonly<Record<string, unknown>>} args @param {string} output
   * @param {import("./file-use.mjs").FileUse | undefined} use
   */
  #call(name, args, output, use) {
    const callId = `call-${this.#step}`;
    const step = `step-${this.#step}`;
    const of = { callId, name, ...(use === undefined ? {} : { use }) };
    this.#put("call", `${name} ${JSON.stringify(args)}`, { ...of, step });
    this.#now += this.random.between(1, 6) * 1_000;
    this.#put("result", output, { ...of, isError: false });
  }

  /**
   * @param {import("./session.mjs").Block["role"]} role @param {string} text
   * @param {Partial<import("./session.mjs").Block>} of
   */
  #put(role, text, of = {}) {
    const depth = this.#blocks.length + 1;
    const step = role === "model" ? `step-${this.#step}` : undefined;
    this.#blocks.push({ id: `b${depth}`, role, text, atMs: this.#now, depth, step, ...of });
  }

  /** @param {string} path */
  #touch(path) {
    this.#known = [path, ...this.#known.filter((one) => one !== path)];
  }
}
