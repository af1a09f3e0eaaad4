import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { constants, Script } from "node:vm";
import { defaultStateFolder, listForeign, readForeign } from "@holdfast/core/node";

/**
 * Runs a bundle of CommonJS with the code that V8 compiled for an earlier start: compiling is a third of what the start
 * of a server costs. The compiled code is kept in the state folder, which no file tool and no command of an agent may
 * write. A copy that is not whole, of another bundle or another Node is not used, and is replaced. Where folder or file are
 * not this user's alone, or lie below a repository, none is used and none is kept.
 *
 * @param path of the bundle. @param kind of the call: what runs in calls of one kind is kept together. @param keepAfterMs when the functions that have run are kept, in milliseconds: soon, for hosts
 *   that end their server at once, and again when more have run.
 * @returns what the bundle exports.
 */
export function runCompiled(
  path: string,
  kind?: string,
  keepAfterMs: readonly number[] = [150, 2_000],
): unknown {
  const { size, ctimeMs } = statSync(path);
  const folder = defaultStateFolder();
  const name = [basename(path), process.version, process.arch, ...(kind === undefined ? [] : [kind])].join(
    "-",
  );
  const kept = {
    folder,
    path: join(folder, "compiled", name),
    // V8 compares no more than the length of a source.
    of: `${size} ${ctimeMs} ${path}`,
  };
  const before = isInRepository(folder) ? "barred" : compiledBefore(kept);
  const cachedData = typeof before === "string" ? undefined : before;
  const wrapped = `(function(exports,require,module,__filename){${readFileSync(path, "latin1")}\n})`;
  const script = new Script(wrapped, {
    filename: path,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  if (before === "none" || script.cachedDataRejected === true) keepLater(script, kept, keepAfterMs);
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path);
  return module.exports;
}

/** Where compiled code is kept, and of which file. */
interface Kept {
  readonly folder: string;
  readonly path: string;
  readonly of: string;
}

/** Whoever writes a repository would write what lies below it. */
function isInRepository(folder: string): boolean {
  const above = dirname(folder);
  return existsSync(join(folder, ".git")) || (above !== folder && isInRepository(above));
}

/** The compiled code, if it is whole and of this bundle; `barred` where somebody else could write into its folder. */
function compiledBefore({ folder, path, of }: Kept): Buffer | "none" | "barred" {
  const own = { below: folder, isOwn: true };
  if (listForeign(dirname(path), { ...own, limitEntries: 1_000 }).kind === "unreadable") return "barred";
  const read = readForeign(path, { ...own, limitBytes: 1 << 28 });
  if (read.kind !== "read") return "none";
  const data = read.bytes.subarray(digestBytes);
  return read.bytes.toString("latin1", 0, digestBytes) === digest(of, data) ? data : "none";
}

/** Keeps it a while after the start, or at the end of a process that is done before. */
function keepLater(script: Script, kept: Kept, afterMs: readonly number[]): void {
  const keep = () => keepCompiled(script.createCachedData(), kept);
  for (const [at, ms] of afterMs.entries())
    setTimeout(() => {
      keep();
      if (at === afterMs.length - 1) process.off("exit", keep);
    }, ms).unref();
  process.on("exit", keep);
}

/** Where it cannot be kept, the next start compiles again. */
function keepCompiled(data: Buffer, { path, of }: Kept): void {
  const written = `${path}.${process.pid}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(written, Buffer.concat([Buffer.from(digest(of, data), "latin1"), data]), {
      mode: 0o600,
      flag: "wx",
    });
    renameSync(written, path);
  } catch {
    rmSync(written, { force: true });
  }
}

/** V8 does not look whether its own data is whole. */
function digest(of: string, data: Buffer): string {
  return createHash("sha256").update(of).update(data).digest("hex");
}

/** A SHA-256 in hexadecimal. */
const digestBytes = 64;
