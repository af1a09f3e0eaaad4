import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Opens the address by a file that only this user can read: what a program is given on its command line, every user of
 * the machine can see. @returns what removes the file.
 */
export function openInBrowser(url: string, onFailure: () => void): () => void {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-view-"));
  const file = join(folder, "open.html");
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0;url=${url}">`, { mode: 0o600 });
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  const child = spawn(program, [file], { detached: true, stdio: "ignore" });
  child.on("error", onFailure);
  child.on("exit", (code) => {
    if (code !== 0) onFailure();
  });
  child.unref();
  return () => rmSync(folder, { recursive: true, force: true });
}
