import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWorkspace } from "@holdfast/core/node";
import { afterThisTest } from "../../../test/cleanups.js";

/** A workspace on a temporary folder with these files. */
export async function openRoom(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-adapters-"));
  const root = mkdtempSync(join(folder, "project-"));
  const write = (name: string, text: string | Uint8Array) => writeFileSync(join(root, name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  const workspace = await openWorkspace({ roots: [root], stateDir: join(folder, "state") });
  if (workspace.kind === "refusal") throw new Error(workspace.message);
  afterThisTest(async () => {
    await workspace.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { workspace, root, write, text: (name: string) => readFileSync(join(root, name), "utf8") };
}
