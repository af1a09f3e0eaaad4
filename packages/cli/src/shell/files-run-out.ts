/**
 * What to say of an error where no file could be opened for want of descriptors: nothing is wrong with the program then.
 *
 * @param limit what `ulimit -n` says; undefined where nobody knows.
 * @returns undefined for any other error.
 */
export function filesRunOut(error: unknown, limit: () => string | undefined): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENFILE")
    return "the system has no more open files to give: end other programs, or raise the system's limit (fs.file-max).";
  if (code !== "EMFILE") return undefined;
  const most = limit();
  if (Number(most) < enough)
    return `the limit of open files of this process (${most}) is too low: raise it, as with "ulimit -n ${enough}", and start it again.`;
  const known = Number.isFinite(Number(most)) ? ` (${most})` : "";
  return `as many files are open as this process may have${known}: start it again, from a program that leaves fewer open, or with a higher limit (ulimit -n).`;
}

/** Far more than the program needs by itself. */
const enough = 1_024;
