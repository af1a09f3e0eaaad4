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
import { type Refusal, refuse } from "@holdfast/core/files/values";
import type { Pace } from "@holdfast/core/text";
import { jsonLine } from "../answers/one-answer.js";
import { reportRefusal } from "../answers/report.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import { atPersonsPace } from "../shell/long-work.js";
import { interrupted } from "./open-store.js";

/**
 * Writes what was exported to the file that `--output` names, which must not be there yet unless `--yes`
 * is given, or to standard output. Ctrl-C ends it: what the name stood for then stands as it was.
 *
 * @param count of the parts, for a person who waits.
 * @returns the exit code.
 */
export async function writeOut(call: Invocation, parts: Iterable<string>, count = 1): Promise<number> {
  const { flags, terminal, settings } = call;
  const { output } = flags;
  const doing = { doing: "Exporting" };
  if (output === undefined || output === "-") {
    const sink = (part: string) => terminal.out(part);
    const done = await atPersonsPace(call, doing, (pace) => writeParts(parts, { sink, pace, count }));
    return done === "written"
      ? exitCodes.success
      : interrupted({ ...call, settings: { ...settings, json: false } }, halfPrinted);
  }
  const isNew = flags.yes !== true;
  const refused = await atPersonsPace(call, doing, (pace) =>
    writeFile(output, parts, { isNew, pace, count }),
  );
  if (refused === "interrupted") {
    const stands = isNew ? "" : `, and ${JSON.stringify(output)} stands as it was`;
    return interrupted(call, `nothing was exported${stands}.`);
  }
  if (refused === undefined) {
    terminal.err(`Written: ${JSON.stringify(output)}\n`);
    return exitCodes.success;
  }
  const exitCode = reportRefusal(refused, terminal);
  if (settings.json)
    await terminal.out(jsonLine({ success: false, code: refused.code, message: refused.message }));
  return exitCode;
}

const halfPrinted = "what was printed is not the whole export.";

interface Writing {
  readonly pace: Pace;
  readonly count: number;
}

async function writeParts(
  parts: Iterable<string>,
  { sink, pace, count }: Writing & { readonly sink: (part: string) => Promise<unknown> },
): Promise<"written" | "interrupted"> {
  let done = 0;
  for (const part of parts) {
    await sink(part);
    done += 1;
    if (!(await pace({ done, of: count })) && done < count) return "interrupted";
  }
  return "written";
}

async function writeFile(
  name: string,
  parts: Iterable<string>,
  { isNew, ...writing }: Writing & { readonly isNew: boolean },
): Promise<Refusal | "interrupted" | undefined> {
  try {
    const done = await writeWhole({ name, isNew }, async (file) => {
      const sink = (part: string) => file.writeFile(part);
      return (await writeParts(parts, { ...writing, sink })) === "written";
    });
    return done === "written" ? undefined : done;
  } catch (error) {
    return refusalOf(name, error);
  }
}

/** By the codes of the system: what each is to whoever asked for the file. */
const refusals: readonly (readonly [codes: string, Refusal["code"], says: (name: string) => string])[] = [
  ["EEXIST", "exists", (name) => `There is a file ${name} already; --yes replaces it.`],
  ["ENOENT ENOTDIR", "file_missing", (name) => `There is no folder for ${name}.`],
  ["EISDIR", "is_directory", (name) => `${name} is a folder.`],
  ["ENXIO", "not_a_file", (name) => `${name} is no file; without --output it goes to standard output.`],
  ["ELOOP", "not_a_file", (name) => `${name} is links in a circle.`],
  ["ENAMETOOLONG", "invalid_arguments", (name) => `The name ${name} is too long.`],
  ["EACCES EPERM EROFS", "permission_denied", (name) => `${name} may not be written.`],
  ["ENOSPC EDQUOT", "disk_full", (name) => `There is no room left for ${name}.`],
];

function refusalOf(name: string, error: unknown): Refusal {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const [, refused, says] = refusals.find(([codes]) => codes.split(" ").includes(code)) ?? [];
  if (refused === undefined || says === undefined) throw error;
  return refuse(refused, says(JSON.stringify(name)));
}

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
async function writeWhole(
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
