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
