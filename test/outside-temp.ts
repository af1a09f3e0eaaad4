import { accessSync, constants, mkdtempSync, realpathSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** Makes a folder that is in none of those for temporary files, into which every command in a sandbox may write. */
export function folderOutsideTemp(): string {
  const temporary = [tmpdir(), "/tmp", "/var/tmp"].map(real);
  const place = [homedir(), "/opt", "/srv", "/var/lib", process.cwd()].map(real).find((path) => {
    const isTemporary = temporary.some((one) => path === one || path.startsWith(`${one}/`));
    return !isTemporary && mayWrite(path);
  });
  if (place === undefined) throw new Error("every folder that can be written in is one for temporary files");
  return realpathSync(mkdtempSync(join(place, ".holdfast-outside-")));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
