import type { Mount } from "./bubblewrap.js";
import { writtenByGit } from "./git-mirror.js";

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
