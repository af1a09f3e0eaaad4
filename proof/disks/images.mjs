import { spawnSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { hasProgram, isRoot } from "../machine.mjs";
import { freshFolder, remove } from "../rooms.mjs";

/** Why no file systems can be made and mounted here; undefined where they can. @param {readonly string[]} makers */
export function lacking(makers) {
  if (!isRoot) return "only root may mount";
  const missing = makers.filter((maker) => !hasProgram(maker, ["-V"]));
  if (missing.length > 0) return `${missing.join(", ")} not installed`;
  return makers.length === 0 || hasProgram("losetup", ["-f"]) ? undefined : "there is no loop device";
}

/** @param {string} program @param {readonly string[]} args */
export function must(program, ...args) {
  const run = spawnSync(program, args, { encoding: "utf8" });
  if (run.status !== 0) throw new Error(`${program} ${args.join(" ")}: ${run.stderr}${run.error ?? ""}`);
}

/** An image file full of nothing. @param {string} file @param {number} sizeKiB */
function makeImage(file, sizeKiB) {
  const fd = openSync(file, "w");
  ftruncateSync(fd, sizeKiB * 1024);
  closeSync(fd);
}

/** @param {string} file @param {number} sizeKiB */
export function makeExt4(file, sizeKiB) {
  makeImage(file, sizeKiB);
  // Nothing kept back for root: the disk is full when it is full.
  must("mkfs.ext4", "-q", "-F", "-m", "0", file);
}

/** @typedef {{ readonly path: string, unmount(): void }} Mounted */

/** @param {string} at @param {readonly string[]} options @returns {Mounted} */
export function mount(at, ...options) {
  mkdirSync(at, { recursive: true });
  must("mount", ...options, at);
  return {
    path: at,
    unmount: () => {
      // A process that was killed a moment ago may still hold it.
      if (spawnSync("umount", [at]).status !== 0) must("umount", "-l", at);
    },
  };
}

/**
 * A small file system to fill up.
 *
 * @param {"tmpfs" | "ext4"} kind @param {number} sizeKiB
 * @returns {Mounted}
 */
export function smallDisk(kind, sizeKiB) {
  const top = freshFolder();
  const at = join(top, "disk");
  const image = join(top, "image");
  if (kind === "ext4") makeExt4(image, sizeKiB);
  const mounted =
    kind === "ext4"
      ? mount(at, "-o", "loop", image)
      : mount(at, "-t", "tmpfs", "-o", `size=${sizeKiB}k,mode=700`, "tmpfs");
  return {
    path: at,
    unmount: () => {
      mounted.unmount();
      remove(top);
    },
  };
}

/**
 * A btrfs on which images can be copied at an instant, while they are in use.
 *
 * @param {number} sizeMiB
 * @returns {Mounted}
 */
export function snapshotPool(sizeMiB) {
  const top = freshFolder();
  makeImage(join(top, "pool"), sizeMiB * 1024);
  must("mkfs.btrfs", "-q", join(top, "pool"));
  const mounted = mount(join(top, "mounted"), "-o", "loop", join(top, "pool"));
  return {
    path: mounted.path,
    unmount: () => {
      mounted.unmount();
      remove(top);
    },
  };
}
