import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { type Refusal, refuse } from "@holdfast/core/files";
import { readForeignText } from "@holdfast/core/node";
import { causeOf } from "@holdfast/core/text";
import type { SandboxSetting } from "../config/schema.js";

/** What a sandbox is made of. Paths are absolute; what does not exist is left out. */
export interface SandboxOptions {
  /** `auto`: commands of every mode run inside, where it starts. `on`: or none runs. */
  readonly setting: SandboxSetting;
  /** The folders of the workspace: writable, but for what other programs run by themselves, such as git's hooks. */
  readonly roots: readonly string[];
  /** What commands may write besides, such as caches; temporary folders are among it. */
  readonly writable: readonly string[];
  /** What stays read-only wherever it lies, such as the state folder. */
  readonly readOnly: readonly string[];
  /** Files that nothing can read inside, such as those with keys. */
  readonly hidden: readonly string[];
  readonly network: boolean;
  /** The `PATH` in which its program is looked for. */
  readonly path?: string;
  /** Told once, in one line, that commands run outside because none starts. Must not throw. */
  readonly told?: (line: string) => void;
}

/** Where a command runs; a refusal where it may not run at all. */
export type CommandPlace = "inside" | "outside" | Refusal;

/**
 * A sandbox for commands: the file system is read-only but for the workspace, temporary folders and caches. By bubblewrap
 * on Linux, by `sandbox-exec` on macOS (never tried on a real one). It keeps no command from reading other files, nor from
 * services that listen on a socket of this machine.
 */
export class Sandbox {
  readonly #git: readonly string[];
  readonly #program: string | undefined;
  #isTold = false;

  constructor(private readonly options: SandboxOptions) {
    // Before any command runs, so that none can choose what is opened, or by which program.
    this.#git = options.roots.flatMap(gitOfWorktree);
    this.#program = sandboxProgram(options);
  }

  /** Where a command runs, whatever the mode and whoever allowed it. Whether a sandbox starts is tried once. */
  async place(): Promise<CommandPlace> {
    const { setting, told } = this.options;
    if (setting === "off") return "outside";
    const fault = await this.fault();
    if (fault === undefined) return "inside";
    if (setting === "on")
      return refuse("denied", `The settings let commands run in a sandbox only, and none starts: ${fault}.`);
    if (!this.#isTold) told?.(`Commands run outside a sandbox, because none starts here: ${fault}.`);
    this.#isTold = true;
    return "outside";
  }

  /** Why none starts here, in half a sentence; undefined where one does. */
  fault(): Promise<string | undefined> {
    if (this.#program === undefined)
      return Promise.resolve(`${programName ?? "a program for it"} is not there`);
    const args = this.around("/bin/sh", ["-c", ":"]);
    const fault = faults.get(args.join("\n")) ?? faultOf(...args);
    faults.set(args.join("\n"), fault);
    return fault;
  }

  /** How a program is started inside: another program and its arguments. Only where `place` says so. */
  around(program: string, args: readonly string[]): readonly [program: string, ...args: string[]] {
    const before = process.platform === "darwin" ? this.#profile() : this.#bubble();
    return [this.#program ?? "", ...before, program, ...args];
  }

  /** What a model is told of a command that failed inside. */
  get words(): string {
    const offline = this.options.network ? "" : ", and has no network";
    return `It ran in a sandbox: it can write only into the workspace, temporary folders and caches${offline}.`;
  }

  #bubble(): readonly string[] {
    return [
      ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid"],
      ...(this.options.network ? [] : ["--unshare-net"]),
      // Who is not root has none of these inside. Root keeps the others: files of other owners stay writable.
      ...(process.getuid?.() === 0 ? escapes.flatMap((name) => ["--cap-drop", `CAP_${name}`]) : []),
      ...this.#mounts().flatMap(({ path, way }) =>
        way === "hide"
          ? ["--ro-bind", "/dev/null", path]
          : [way === "write" ? "--bind" : "--ro-bind", path, path],
      ),
    ];
  }

  /** The last rule that fits decides. */
  #profile(): readonly string[] {
    const rules = this.#mounts().map(({ path, way }) => {
      const rule = { write: "allow file-write*", read: "deny file-write*", hide: "deny file*" }[way];
      return `(${rule} (subpath ${JSON.stringify(path)}))`;
    });
    const begin = '(version 1)(allow default)(deny file-write*)(allow file-write* (subpath "/dev"))';
    return ["-p", `${begin}${rules.join("")}${this.options.network ? "" : "(deny network*)"}`];
  }

  /** From the shortest path on: what lies deeper decides for itself. */
  #mounts(): readonly Mount[] {
    const { roots, writable, readOnly, hidden } = this.options;
    const git = [...roots.map((root) => join(root, ".git")), ...this.#git];
    const as = (way: Mount["way"], paths: readonly string[]) =>
      paths.flatMap((path) => quietly(() => ({ path: realpathSync.native(path), way })) ?? []);
    const mounts = [
      ...as("write", [tmpdir(), "/tmp", "/var/tmp", ...writable, ...roots]),
      // A folder that is mounted by itself cannot be moved away with what is read-only in it. In a worktree it is a file.
      ...git.flatMap((path) => as(textOf(path) === undefined ? "write" : "read", [path])),
      ...as("read", [...readOnly, ...git.flatMap((path) => [join(path, "hooks"), join(path, "config")])]),
      ...as(
        "read",
        roots.flatMap((root) => runByOthers.map((name) => join(root, name))),
      ),
      ...as("hide", hidden),
    ];
    return mounts.toSorted((one, other) => one.path.length - other.path.length);
  }
}

interface Mount {
  readonly path: string;
  readonly way: "write" | "read" | "hide";
}

/** One try a process for each way of starting. */
const faults = new Map<string, Promise<string | undefined>>();

/** Capabilities by which root would get out again. */
const escapes = "SYS_ADMIN SYS_PTRACE SYS_MODULE SYS_RAWIO SYS_BOOT MKNOD DAC_READ_SEARCH NET_ADMIN".split(
  " ",
);

/** What other programs run by themselves when a folder is opened, a commit is made, a shell starts. */
const runByOthers = (
  ".husky .githooks .lefthook .pre-commit-config.yaml .envrc .vscode .idea .zed .devcontainer .mcp.json .claude .gemini .codex " +
  ".cursor .holdfast .bashrc .bash_profile .profile .zshrc .zshenv .zprofile .gitconfig .ssh .config/git .config/fish"
).split(" ");

const programName = { linux: "bwrap", darwin: "sandbox-exec" }[process.platform as string];

/** Its path; not one that lies where commands may write. */
function sandboxProgram({ path = "", roots, writable }: SandboxOptions): string | undefined {
  const real = (name: string) => quietly(() => realpathSync.native(name));
  const open = [...roots, ...writable].map((folder) => `${real(folder) ?? folder}/`);
  const folders = programName === undefined ? [] : path.split(delimiter).filter(isAbsolute);
  return folders
    .map((folder) => real(join(folder, programName ?? "")))
    .find((found) => found !== undefined && !open.some((folder) => found.startsWith(folder)));
}

/** Git's own folder of a root that is a worktree, which keeps its commits, where it points back at the root. */
function gitOfWorktree(root: string): readonly string[] {
  const file = join(root, ".git");
  const named = /^gitdir: (.+)$/mu.exec(textOf(file) ?? "")?.[1] ?? "";
  const found = quietly(() => {
    const folder = realpathSync.native(named);
    const back = realpathSync.native(textOf(join(folder, "gitdir"))?.trim() ?? "");
    const isWorktree = basename(dirname(folder)) === "worktrees" && back === realpathSync.native(file);
    return isWorktree ? dirname(dirname(folder)) : undefined;
  });
  return found === undefined ? [] : [found];
}

function textOf(path: string): string | undefined {
  const read = readForeignText(path, { limitBytes: 4_096, links: "followed" });
  return read.kind === "read" ? read.text : undefined;
}

/** Undefined for what is not there, or not of the kind that is asked for. */
function quietly<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** Why a program does not run to its end, in half a sentence. */
function faultOf(program: string, ...args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 10_000, killSignal: "SIGKILL" }, (error, _, said) =>
      resolve(error === null ? undefined : said.trim().split("\n")[0] || causeOf(error)),
    );
  });
}
