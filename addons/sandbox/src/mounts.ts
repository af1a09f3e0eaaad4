import { writtenByGit } from "./git-mirror.js";

/** A path inside, and how it is found there: to be written, only to be seen, or as if nothing were in it. */
export interface Mount {
  readonly at: string;
  readonly way: "write" | "read" | "hide";
  /** What is found there; what lies there outside unless given. */
  readonly from?: string;
}

/**
 * The arguments of bubblewrap before those of the program. What lies deeper decides for itself.
 *
 * @param isRoot by the capabilities that a command keeps: files of other owners stay writable.
 */
export function bubbleArguments(
  mounts: readonly Mount[],
  { hasNetwork, isRoot }: { readonly hasNetwork: boolean; readonly isRoot: boolean },
): readonly string[] {
  const ways = { write: "--bind", read: "--ro-bind-try", hide: "--ro-bind" } as const;
  return [
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"],
    ...["--unshare-pid", "--unshare-ipc", ...(hasNetwork ? [] : ["--unshare-net"])],
    ...(isRoot ? ["--cap-drop", "ALL", ...kept.flatMap((name) => ["--cap-add", `CAP_${name}`])] : []),
    ...mounts
      .toSorted((one, other) => one.at.length - other.at.length)
      .flatMap(({ at, way, from = way === "hide" ? "/dev/null" : at }) => [ways[way], from, at]),
  ];
}

/** Who is not root has none of them. */
const kept = ["CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE", "SETGID", "SETUID"];

/**
 * The arguments of `sandbox-exec` before the program; never tried on a Mac. It mounts nothing: of git's folders it allows
 * the names on the list, wherever such a folder lies in the workspace. The last rule that fits decides.
 */
export function seatbeltArguments(
  mounts: readonly Mount[],
  {
    roots,
    sockets,
    hasNetwork,
  }: { readonly roots: readonly string[]; readonly sockets: readonly string[]; readonly hasNetwork: boolean },
): readonly string[] {
  const rules = mounts.map(({ at, way }) => {
    const rule = { write: "allow file-write*", read: "deny file-write*", hide: "deny file*" }[way];
    return `(${rule} (subpath ${JSON.stringify(at)}))`;
  });
  const git = roots.flatMap((root) => {
    const begin = `^${root.replace(/[\\^$.*+?()[\]{}|"]/gu, "\\$&")}/(.*/)?\\.git`;
    const list = `${begin}/(modules/.*/|worktrees/[^/]*/)?(${writtenByGit})(\\.lock)?(/.*)?$`;
    return [`(deny file-write* (regex #"${begin}(/.*)?$"))`, `(allow file-write* (regex #"${list}"))`];
  });
  const open = [...sockets, "/private/var/run/mDNSResponder"].map(
    (path) => `(literal ${JSON.stringify(path)})`,
  );
  const net = hasNetwork
    ? `(deny network-outbound (remote unix-socket))(allow network-outbound ${open.join("")})`
    : "(deny network*)";
  const begin = '(version 1)(allow default)(deny file-write*)(allow file-write* (subpath "/dev"))';
  return ["-p", [begin, ...rules, ...git, net].join("")];
}
