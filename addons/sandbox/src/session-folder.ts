import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { formatIdentity, livenessOf, ownIdentity, parseIdentity, sha256 } from "@holdfast/core/node";

/** The private folders of one session's commands, in the state folder. */
export class SessionFolder {
  readonly #all: string;
  readonly #own: string;

  constructor(stateDir: string) {
    this.#all = join(stateDir, "sandbox");
    this.#own = join(this.#all, `${formatIdentity(ownIdentity())}.${Math.random().toString(36).slice(2)}`);
  }

  /** Where what cannot be carried over is kept, beyond the session. */
  get remains(): string {
    return join(this.#all, "kept");
  }

  /** Makes a folder that lasts as long as the session. @param mode what a command finds it with. */
  folder(name: string, mode = 0o700): string {
    return made(join(this.#own, name), mode);
  }

  /**
   * Makes a folder that outlasts the session. One that no session used for a month goes.
   *
   * @param root whose commands alone see it: what one project fetched is nothing that another one trusts.
   */
  cache(root: string, path: string): string {
    const all = join(this.#all, "caches");
    const own = made(join(all, sha256(Buffer.from(root)).slice(0, 16)));
    const now = new Date();
    utimesSync(own, now, now);
    for (const name of readdirSync(all))
      if (statSync(join(all, name)).mtimeMs < now.getTime() - monthMs) this.forget(join(all, name));
    return made(join(own, encodeURIComponent(path)));
  }

  /** What sessions left whose programs were killed, a folder each. */
  abandoned(): readonly string[] {
    const names = readdirSync(made(this.#all)).filter((name) => {
      const identity = parseIdentity(name.replace(/\.\w+$/u, ""));
      return identity !== undefined && livenessOf(identity) === "dead";
    });
    return names.map((name) => join(this.#all, name));
  }

  remove(): void {
    this.forget(this.#own);
  }

  /** @param left one of those that are abandoned. */
  forget(left: string): void {
    rmSync(left, { recursive: true, force: true });
  }
}

const monthMs = 30 * 24 * 3_600_000;

function made(path: string, mode = 0o700): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, mode);
  return path;
}
