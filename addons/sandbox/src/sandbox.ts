import { execFile } from "node:child_process";
import { mkdirSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, relative } from "node:path";
import {
  type EnteredCommand,
  isBelow,
  killLeft,
  quietly,
  type Sandbox,
  type SandboxOptions,
} from "@holdfast/agent/host";
import { runsLater } from "@holdfast/core/files";
import { causeOf } from "@holdfast/core/text";
import { gitFoldersOf, withModules } from "./git-folders.js";
import { type GitMirror, GitMirrors, type MirrorReport } from "./git-mirror.js";
import { bubbleArguments, type Mount, seatbeltArguments } from "./mounts.js";
import { NetworkProxy } from "./network-proxy.js";
import { SessionFolder } from "./session-folder.js";
import { environmentInside, listeningSockets, socketsIn } from "./sockets.js";

/**
 * Opens one by bubblewrap on Linux, by `sandbox-exec` on macOS (never tried on a real one, and with less: docs/host-tools.md).
 */
export function openSandbox(options: SandboxOptions): Sandbox {
  return new MountedSandbox(options);
}

class MountedSandbox implements Sandbox {
  readonly #program: string | undefined;
  readonly #session: SessionFolder;
  readonly #roots: readonly string[];
  readonly #mirrors: GitMirrors;
  readonly #proxy: NetworkProxy | undefined;
  #cacheMounts: readonly Mount[] | undefined;
  #running = 0;
  #fault: Promise<string | undefined> | undefined;

  constructor(private readonly options: SandboxOptions) {
    // Before any command runs, so that none can choose by which program.
    this.#program = sandboxProgram(options);
    this.#roots = existing(options.roots);
    this.#session = new SessionFolder(options.stateDir);
    this.#mirrors = new GitMirrors(this.#session, (one) => options.told?.(keptWords(one)));
    this.#proxy = typeof options.network === "boolean" ? undefined : new NetworkProxy(options.network);
  }

  fault(): Promise<string | undefined> {
    if (this.#program === undefined)
      return Promise.resolve(`${programName ?? "a program for it"} is not there`);
    this.#fault ??= this.#firstFault();
    return this.#fault;
  }

  enter(
    program: string,
    args: readonly string[],
    given: Readonly<Record<string, string>>,
    isReadOnly = false,
  ): EnteredCommand {
    const mirrors = isReadOnly ? [] : this.#gitMirrors();
    const following = mirrors.map((mirror) => mirror.follow());
    this.#running++;
    const channel = this.#proxy?.open();
    // By a socket another program may write.
    const sockets = isReadOnly ? [] : this.#sockets(given);
    const allowed = isReadOnly ? [] : [...this.options.sockets, ...sockets];
    const own = { TMPDIR: isMac ? this.#session.folder("tmp", 0o1777) : "/tmp", GIT_OPTIONAL_LOCKS: "0" };
    const environment = { ...environmentInside(given, allowed), ...own, ...channel?.environment };
    return {
      program: this.#around([program, ...args], mirrors, sockets, isReadOnly),
      environment,
      ...(channel && { connect: channel.connect }),
      leave: async () => {
        this.#running--;
        for (const end of following) end();
        const reports = await Promise.all(mirrors.map((mirror) => mirror.settle(this.#running === 0)));
        const writes = reports.flatMap(({ refused }) => refused).map((path) => this.#shown(path));
        return {
          writes,
          notes: [...reports.flatMap(({ kept }) => kept.map(keptWords)), ...(channel?.close() ?? [])],
        };
      },
    };
  }

  get words(): string {
    const { network } = this.options;
    const hosts =
      network === true
        ? ""
        : network === false
          ? ", and has no network"
          : `, and reaches only ${network.join(", ")}`;
    return `It ran in a sandbox: it can write only into the workspace and into temporary folders and caches of its own${hosts}.`;
  }

  close(): void {
    this.#mirrors.close();
    quietly(() => this.#session.remove());
  }

  async #firstFault(): Promise<string | undefined> {
    try {
      this.#mirrors.recover(killLeft);
      const [program, ...args] = this.#around(["/bin/sh", "-c", ":"], this.#gitMirrors(), []);
      return await faultOf(program, ...args);
    } catch (error) {
      return `its private folders cannot be made (${causeOf(error)})`;
    }
  }

  /** Of the folders of git that are in the workspace now. On a Mac nothing can lie over them. */
  #gitMirrors(): readonly GitMirror[] {
    const nested = this.options.later.repositories.flatMap((path) => {
      const within = this.#roots.find((root) => isBelow(path, root));
      return within === undefined ? [] : withModules({ path, within });
    });
    const folders = [...this.#roots.flatMap(gitFoldersOf), ...nested];
    return isMac ? [] : this.#mirrors.of(folders);
  }

  #around(
    command: readonly string[],
    mirrors: readonly GitMirror[],
    sockets: readonly string[],
    isReadOnly = false,
  ): EnteredCommand["program"] {
    const roots = isReadOnly ? [] : this.#roots;
    const hasNetwork = this.options.network === true;
    const mounts = this.#mounts(mirrors, sockets, isReadOnly);
    if (isMac)
      return [this.#program ?? "", ...seatbeltArguments(mounts, { roots, sockets, hasNetwork }), ...command];
    const isRoot = process.getuid?.() === 0;
    const prelude = [
      ...checksOf(mirrors, roots),
      ...(this.#proxy === undefined ? [] : [NetworkProxy.prelude]),
    ];
    const begun = prelude.length === 0 ? [] : ["/bin/sh", "-c", `${prelude.join("\n")}\nexec "$@"`, "sh"];
    return [this.#program ?? "", ...bubbleArguments(mounts, { hasNetwork, isRoot }), ...begun, ...command];
  }

  /** What lies deeper decides for itself; of two in one place, the later. */
  #mounts(mirrors: readonly GitMirror[], sockets: readonly string[], isReadOnly: boolean): readonly Mount[] {
    const { writable, readOnly, hidden, home, stateDir, path = "" } = this.options;
    const own = temporary.flatMap((place) =>
      existing([place]).map((at): Mount => {
        const from = this.#session.folder(basename(at), 0o1777);
        return isMac ? { at: from, way: "write" } : { at, way: "write", from };
      }),
    );
    const isCovered = (found: string) => own.some(({ at }) => isBelow(found, at));
    const needed = [home, stateDir, dirname(process.execPath), "/etc/resolv.conf", ...path.split(delimiter)];
    const git = mirrors.flatMap((mirror): readonly Mount[] => [
      { at: mirror.folder.path, way: "write", from: mirror.top },
      ...mirror.inner().map(({ path: at, isWritten }): Mount => ({ at, way: isWritten ? "write" : "read" })),
    ]);
    const all = [
      ...own,
      ...as("read", existing(needed).filter(isCovered)),
      ...this.#caches(),
      ...as("write", [...existing(writable), ...this.#roots, ...sockets]),
      ...as("read", existing(this.#roots.map((root) => join(root, ".git")))),
      ...git,
      ...as("read", [...existing(readOnly), ...this.#live()]),
      ...as("hide", existing(hidden)),
    ];
    const mounts = all.map((one): Mount => {
      return isReadOnly && one.way === "write" && !own.includes(one) ? { ...one, way: "read" } : one;
    });
    const placeOf = (found: string) =>
      mounts
        .filter(({ at }) => isBelow(found, at))
        .reduce((one, other) => (other.at.length >= one.at.length ? other : one), whole);
    const others = listeningSockets().filter((at) => !sockets.includes(at) && !own.includes(placeOf(at)));
    return [...mounts, ...as("hide", others)];
  }

  /** Each with a copy of its own in its place. Where nothing can be mounted yet, an empty folder is made. */
  #caches(): readonly Mount[] {
    const { caches, home } = this.options;
    const isCommon = (path: string) => /^\.(?:cache\/|npm$)/u.test(relative(home, path));
    for (const path of caches.filter(isCommon))
      quietly(() => mkdirSync(path, { recursive: true, mode: 0o700 }));
    const from = (at: string) => this.#session.cache(this.#roots.join(), at);
    this.#cacheMounts ??= existing(caches).map((at) => ({ at, way: "write", from: from(at) }));
    return this.#cacheMounts;
  }

  /** Of the files by which an open program goes at once, or of the folder that makes them so. */
  #live(): readonly string[] {
    const places = this.options.later.live.flatMap((path) => {
      const root = this.#roots.find((one) => isBelow(path, one)) ?? "";
      const names = relative(root, path).split("/");
      const at = names.findIndex((_, last) => runsLater(names.slice(0, last + 1).join("/"))?.isLive === true);
      return at < 0 ? [] : [join(root, ...names.slice(0, at + 1))];
    });
    return [...new Set(places)].slice(0, mostLive);
  }

  /** The sockets that settings allow: by their paths, or by the variables that name them. */
  #sockets(environment: Readonly<Record<string, string>>): readonly string[] {
    const { sockets, home } = this.options;
    return sockets.flatMap((one) =>
      socketsIn(/^[~/]/u.test(one) ? one.replace(/^~/u, home) : (environment[one] ?? "")),
    );
  }

  #shown(path: string): string {
    const root = this.#roots.find((one) => isBelow(path, one));
    return root === undefined ? path : relative(root, path);
  }
}

const isMac = process.platform === "darwin";
const programName = { linux: "bwrap", darwin: "sandbox-exec" }[process.platform as string];
/** In their place a command has folders of the session's own. */
const temporary = ["/tmp", "/var/tmp", "/run"];
const whole: Mount = { at: "", way: "read" };
const mostLive = 100;

const as = (way: Mount["way"], paths: readonly string[]): readonly Mount[] =>
  paths.map((at) => ({ at, way }));

/** By their real paths, those that are there. */
function existing(paths: readonly string[]): readonly string[] {
  return paths.filter(isAbsolute).flatMap((path) => quietly(() => realpathSync.native(path)) ?? []);
}

/**
 * A folder that was to be found inside may have been swapped for a link by a command in the background, which then would
 * lead out: what is found there is looked at once more, by whoever is in there and before the command.
 */
function checksOf(mirrors: readonly GitMirror[], roots: readonly string[]): readonly string[] {
  const nested = mirrors.filter(({ folder: { path } }) => !roots.includes(dirname(path)));
  const all = nested.flatMap((mirror) => mirror.inner()).filter(({ isWritten }) => isWritten);
  const paths = all.map(({ path }) => `'${path.replaceAll("'", "'\\''")}'`).join(" ");
  const wanted = all.map(({ identity }) => identity).join("\n");
  const failed = "{ echo 'Holdfast: a folder of git moved meanwhile; nothing was run.'; exit 126; }";
  return all.length === 0 ? [] : [`[ "$(stat -c %d:%i ${paths})" = "${wanted}" ] || ${failed}`];
}

function keptWords({ path, at }: MirrorReport["kept"][number]): string {
  return `Somebody else changed ${path} at the same time: theirs counts, and the command's is kept as ${at}.`;
}

/** Its path; not one that lies where commands may write. */
function sandboxProgram({ path = "", roots, writable }: SandboxOptions): string | undefined {
  const open = existing([...roots, ...writable]);
  const folders = programName === undefined ? [] : path.split(delimiter).filter(isAbsolute);
  return folders
    .flatMap((folder) => existing([join(folder, programName ?? "")]))
    .find((found) => !open.some((folder) => isBelow(found, folder)));
}

/** Why a program does not run to its end, in half a sentence. */
function faultOf(program: string, ...args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 10_000, killSignal: "SIGKILL" }, (error, _, said) =>
      resolve(error === null ? undefined : said.trim().split("\n")[0] || causeOf(error)),
    );
  });
}
