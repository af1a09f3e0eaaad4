import { createHash, randomUUID } from "node:crypto";
import { mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readForeignText } from "@holdfast/core/node";

/**
 * The folders that a person trusts, each with the hash of the project settings that were there then: settings that
 * changed since are asked about anew.
 */
export class TrustedFolders {
  /** @param stateDir the person's state folder, outside of every project. */
  constructor(private readonly stateDir: string) {}

  /** Whether this folder is trusted with exactly these settings. What cannot be read is not trusted. */
  async isTrusted(folder: string, settings: Uint8Array): Promise<boolean> {
    try {
      const real = await realpath(folder);
      const room = { below: this.stateDir, isOwn: true, limitBytes: 16 * 1024 };
      const record = readForeignText(this.#fileOf(real), room);
      return record.kind === "read" && record.text === recordOf(real, settings);
    } catch {
      return false;
    }
  }

  /** Trusts the folder with these settings; those of before are forgotten. Throws the system's error. */
  async trust(folder: string, settings: Uint8Array): Promise<void> {
    const real = await realpath(folder);
    await mkdir(join(this.stateDir, room), { recursive: true, mode: 0o700 });
    const unfinished = join(this.stateDir, room, `new-${randomUUID()}`);
    try {
      await writeFile(unfinished, recordOf(real, settings), { mode: 0o600, flag: "wx", flush: true });
      await rename(unfinished, this.#fileOf(real));
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  /** Trusts the folder no more. Throws the system's error. */
  async untrust(folder: string): Promise<void> {
    await rm(this.#fileOf(await realpath(folder)), { force: true });
  }

  #fileOf(real: string): string {
    return join(this.stateDir, room, hashOf(real));
  }
}

const room = "trusted-folders";

function recordOf(real: string, settings: Uint8Array): string {
  return `${JSON.stringify({ folder: real, settingsSha256: hashOf(settings) })}\n`;
}

function hashOf(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
