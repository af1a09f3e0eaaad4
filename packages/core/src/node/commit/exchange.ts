import { nativeExtension } from "../disk/attributes.js";
import { codeOf, exchangesNames } from "../disk/platform.js";

/**
 * Exchanges what two names of one file system stand for, in one step, so that nothing that stands there at
 * that moment can be lost unseen.
 *
 * @returns false where the system, the file system or the extension cannot; nothing was changed then.
 * @throws the system's error; `ENOENT` where one of the names is gone.
 */
export function exchange(one: string, other: string): boolean {
  const extension = exchangesNames ? nativeExtension() : undefined;
  if (extension?.kind !== "loaded") return false;
  try {
    extension.functions.swapSync(one, other);
    return true;
  } catch (error) {
    if (incapable.has(codeOf(error))) return false;
    throw error;
  }
}

const incapable: ReadonlySet<string> = new Set(["EINVAL", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

/** The name of a stage that is whole and about to be exchanged, or of what came out; told apart by its bytes. */
export function swapNameOf(stageName: string): string {
  return `${stageName}${swapSuffix}`;
}

const swapSuffix = "-swap";
