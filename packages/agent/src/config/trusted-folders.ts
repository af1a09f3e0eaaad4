import { createHash, randomUUID } from "node:crypto";
import { mkdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readForeignText } from "@holdfast/core/node";

/** What a person said when they were asked whether they trust a folder. */
type TrustAnswer = "trusted" | "declined";

/**
 * The folders that a person trusts, each with the hash of the project settings that were there then: settings that
 * changed since are asked about anew.
 */
export class TrustedFolders {
  /** @param stateDir the person's state folder, outside of every project. */
  constructor(private readonly stateDir: string) {}

  /** Whether this folder is trusted with exactly these settings. What cannot be read is not trusted. */
  async isTrusted(folder: string, settings: Uint8Array): Promise<boolean> {
    return (await this.answer(folder, settings)) === "trusted";
  }

  /** What a person said of this folder with exactly these settings; undefined where they were not asked. */
  async answer(folder: string, settings: Uint8Array): Promise<TrustAnswer | undefined> {
    try {
      const real = await realpath(folder);
      const own = { below: this.stateDir, isOwn: true, limitBytes: 16 * 1024 };
      const record = readForeignText(this.#fileOf(real), own);
      const said = record.kind === "read" ? record.text : "";
      return (["trusted", "declined"] as const).find((one) => said === recordOf(real, settings, one));
    } catch {
      return undefined;
    }
  }

  /** Trusts the folder with these settings, or not; what was said before is forgotten. Throws the system's error. */
  async trust(folder: string, settings: Uint8Array, answer: TrustAnswer = "trusted"): Promise<void> {
    const real = await realpath(folder);
    await mkdir(join(this.stateDir, room), { recursive: true, mode: 0o700 });
    const unfinished = join(this.stateDir, room, `new-${randomUUID()}`);
    try {
      await writeFile(unfinished, recordOf(real, settings, answer), { mode: 0o600, flag: "wx", flush: true });
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

function recordOf(real: string, settings: Uint8Array, answer: TrustAnswer): string {
  const isDeclined = answer === "declined" ? { isDeclined: true } : {};
  return `${JSON.stringify({ folder: real, settingsSha256: hashOf(settings), ...isDeclined })}\n`;
}

function hashOf(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
