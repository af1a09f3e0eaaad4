import { execFileSync } from "node:child_process";
import { closeSync, existsSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The file systems on which the servers are measured, each made fresh: what a small write costs depends on the disk,
 * and one that was written to for long (an ext4 without journal above all) makes every figure larger.
 *
 * @typedef {"ext4" | "tmpfs" | "tmp"} DiskName
 * @typedef {{ readonly name: DiskName, readonly folder: string, remove(): void }} Disk
 */

/** What each one is, for the head of the table. @type {Readonly<Record<DiskName, string>>} */
export const diskWords = {
  ext4: "ext4 with a journal, on a loop device (needs root)",
  tmpfs: "tmpfs, where fsync costs nothing",
  tmp: "the folder for temporary files, as it is",
};

/** @param {string} names separated by commas @returns {readonly DiskName[]} */
export function disksNamed(names) {
  return names.split(",").map((name) => {
    if (name !== "ext4" && name !== "tmpfs" && name !== "tmp") throw new Error(`there is no disk ${name}`);
    return name;
  });
}

/** Those that can be had here. @param {readonly DiskName[]} names @param {(line: string) => void} print */
export function disksHere(names, print) {
  return names.filter((name) => {
    try {
      makeDisk(name).remove();
      return true;
    } catch (error) {
      print(`no ${name} here: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`);
      return false;
    }
  });
}

/** Throws where it cannot be had: no root, no loop device. @param {DiskName} name @returns {Disk} */
export function makeDisk(name) {
  const shared = "/dev/shm";
  const above = name === "tmpfs" && existsSync(shared) ? shared : tmpdir();
  const outer = mkdtempSync(join(above, "holdfast-bench-"));
  const discard = () => rmSync(outer, { recursive: true, force: true });
  if (name !== "ext4") return { name, folder: outer, remove: discard };
  try {
    return { name, folder: mountImage(outer), remove: () => unmount(outer, discard) };
  } catch (error) {
    discard();
    throw error;
  }
}

/** @param {string} outer */
function mountImage(outer) {
  const image = join(outer, "image");
  const folder = join(outer, "disk");
  mkdirSync(folder);
  const fd = openSync(image, "w");
  ftruncateSync(fd, imageBytes);
  closeSync(fd);
  const run = { stdio: /** @type {const} */ ("pipe") };
  execFileSync("mkfs.ext4", ["-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", image], run);
  execFileSync("mount", ["-o", "loop", image, folder], run);
  return folder;
}

const imageBytes = 2 ** 31;

/** @param {string} outer @param {() => void} discard */
function unmount(outer, discard) {
  execFileSync("umount", ["--lazy", join(outer, "disk")], { stdio: "pipe" });
  discard();
}
