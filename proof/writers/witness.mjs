import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { versionOf } from "./versions.mjs";

/**
 * Hears what a writer begins and acknowledges, and judges a disk by it.
 *
 * @typedef {{ readonly lost: number, readonly torn: number }} Verdict
 */
export class Witness {
  /** The version of each file that was acknowledged last. @type {Map<string, number>} */
  acked = new Map();
  /** What was begun since, acknowledged or not: may stand there as well. @type {Map<string, Set<number>>} */
  begun = new Map();
  acks = 0;
  /** What the writer said when it failed. */
  failure = "";

  /**
   * @param {readonly string[]} command a program of Node and its arguments
   * @param {{ image: string, at: string }} [disk] mounted for the writer alone: its process numbers and its
   *   mounts are not ours, as after a restart of the machine, so that a copy of its disk can stand in its place
   */
  constructor(command, disk) {
    const [program, ...args] = disk === undefined ? [process.execPath, ...command] : onDisk(command, disk);
    this.child = spawn(program ?? "", args, { stdio: ["ignore", "pipe", "pipe"] });
    createInterface({ input: this.child.stdout }).on("line", (line) => this.hear(line));
    this.child.stderr.setEncoding("utf8").on("data", (chunk) => {
      this.failure += chunk;
    });
  }

  /** @param {string} line */
  hear(line) {
    /** @type {{ event: "begin" | "ack", files: Record<string, number> }} */
    const { event, files } = JSON.parse(line);
    if (event === "ack") this.acks += 1;
    for (const [path, version] of Object.entries(files)) {
      if (event === "ack") {
        this.acked.set(path, version);
        this.begun.get(path)?.clear();
      } else this.begun.set(path, (this.begun.get(path) ?? new Set()).add(version));
    }
  }

  /**
   * Notes what is acknowledged now; what is begun from now on may stand on the disk, too, but need not.
   *
   * @returns {(tree: Readonly<Record<string, string>>) => Verdict} to be asked once the disk was copied
   */
  mark() {
    const acked = new Map(this.acked);
    const open = new Map([...this.begun].map(([path, versions]) => [path, new Set(versions)]));
    const hear = this.hear.bind(this);
    this.hear = (line) => {
      hear(line);
      const { files } = JSON.parse(line);
      for (const [path, version] of Object.entries(files)) {
        open.set(path, (open.get(path) ?? new Set()).add(Number(version)));
      }
    };
    return (tree) => judge(tree, acked, open);
  }

  /** Waits until so many steps were acknowledged. @param {number} count */
  async until(count) {
    const end = this.acks + count;
    const late = performance.now() + patienceMs;
    while (this.acks < end) {
      if (this.child.exitCode !== null) throw new Error(`the writer ended: ${this.failure}`);
      if (performance.now() > late) throw new Error(`the writer does nothing: ${this.failure}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  async kill() {
    const closed =
      this.child.exitCode !== null || this.child.signalCode !== null ? undefined : once(this.child, "close");
    this.child.kill("SIGKILL");
    await closed;
  }
}

const patienceMs = 60_000;

/** @param {readonly string[]} command @param {{ image: string, at: string }} disk */
function onDisk(command, { image, at }) {
  const script = 'mount -o loop "$1" "$2" && shift 2 && exec "$@"';
  const alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--"];
  return [...alone, "sh", "-c", script, "sh", image, at, process.execPath, ...command];
}

/**
 * @param {Readonly<Record<string, string>>} tree @param {ReadonlyMap<string, number>} acked
 * @param {ReadonlyMap<string, ReadonlySet<number>>} open @returns {Verdict}
 */
function judge(tree, acked, open) {
  let lost = 0;
  let torn = 0;
  for (const path of new Set([...acked.keys(), ...open.keys()])) {
    const text = tree[path];
    const last = acked.get(path);
    if (text === undefined) {
      if (last !== undefined) lost += 1;
      continue;
    }
    const version = versionOf(text);
    if (version === undefined) torn += 1;
    else if (version !== last && !open.get(path)?.has(version)) lost += 1;
  }
  return { lost, torn };
}
