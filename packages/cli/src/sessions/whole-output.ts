import { randomBytes } from "node:crypto";
import { constants, rmSync, type Stats } from "node:fs";
import {
  access,
  type FileHandle,
  link,
  lstat,
  open,
  readlink,
  realpath,
  rename,
  stat,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** What a person asked to be written, and whether it may replace what is there. */
interface WholeOutput {
  readonly name: string;
  /** Throws EEXIST where something has the name, at the beginning or at the end. */
  readonly isNew: boolean;
}

/**
 * Writes a file beside its target and gives it the name once it is whole and on the disk: until then what stands
 * there stays. A device is written as it is. Throws the system's error; ENXIO for what is neither file nor device,
 * such as a FIFO, to which nothing is written.
 *
 * @param write returns false where it was ended; nothing is left then, and nothing changed. Neither is where the
 *   program ends meanwhile, unless it is killed.
 */
export async function writeWhole(
  { name, isNew }: WholeOutput,
  write: (file: FileHandle) => Promise<boolean>,
): Promise<"written" | "interrupted"> {
  if (isNew && (await isThere(name))) throw taken();
  const target = isNew ? name : await targetOf(name);
  const old = isNew ? undefined : await orNone(stat(target));
  if (old?.isCharacterDevice()) return writeDevice(target, write);
  if (old?.isDirectory()) throw Object.assign(new Error("it is a folder"), { code: "EISDIR" });
  if (old !== undefined && !old.isFile()) throw Object.assign(new Error("it is no file"), { code: "ENXIO" });
  if (old !== undefined) await access(target, constants.W_OK);
  const unfinished = join(
    dirname(target),
    `.${basename(target).slice(0, 40)}.${randomBytes(8).toString("hex")}`,
  );
  const remove = () => rmSync(unfinished, { force: true });
  process.once("exit", remove);
  try {
    const file = await open(unfinished, "wx", 0o600);
    try {
      if (!(await write(file))) return "interrupted";
      if (old !== undefined) await takeOver(file, old);
      await file.sync();
    } finally {
      await file.close();
    }
    await (isNew ? giveFreeName(unfinished, target) : rename(unfinished, target));
    return "written";
  } finally {
    remove();
    process.removeListener("exit", remove);
  }
}

async function writeDevice(
  target: string,
  write: (file: FileHandle) => Promise<boolean>,
): Promise<"written" | "interrupted"> {
  const file = await open(target, "w");
  try {
    return (await write(file)) ? "written" : "interrupted";
  } finally {
    await file.close();
  }
}

/** What links lead to, though it may not be there yet. */
async function targetOf(name: string): Promise<string> {
  try {
    return await realpath(name);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    const led = await readlink(name).catch(() => undefined);
    return led === undefined ? name : targetOf(resolve(dirname(name), led));
  }
}

/** As what is replaced: its mode, and its owner where this user may give files away. */
async function takeOver(file: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  await file.chown(uid, gid).catch((error: unknown) => {
    if (!hasCode(error, "EPERM")) throw error;
  });
  await file.chmod(mode & 0o7777);
}

/** A name that somebody took meanwhile stays theirs. Where there are no hard links, the look before it decides. */
async function giveFreeName(unfinished: string, target: string): Promise<void> {
  try {
    await link(unfinished, target);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].some((code) => hasCode(error, code)))
      throw error;
    if (await isThere(target)) throw taken();
    await rename(unfinished, target);
  }
}

async function isThere(name: string): Promise<boolean> {
  return (await orNone(lstat(name))) !== undefined;
}

async function orNone(asked: Promise<Stats>): Promise<Stats | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function taken(): Error {
  return Object.assign(new Error("it is there"), { code: "EEXIST" });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
