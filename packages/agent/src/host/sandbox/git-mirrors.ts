import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { quietly } from "../quietly.js";
import { type GitFolder, GitMirror, type MirrorReport } from "./git-mirror.js";
import type { SessionFolder } from "./session-folder.js";

/** The mirrors of one session, one for each folder of git that is there. */
export class GitMirrors {
  readonly #all = new Map<string, GitMirror>();
  #count = 0;

  /** @param told what somebody else changed at the same time, where no command is there to say it. */
  constructor(
    private readonly session: SessionFolder,
    private readonly told: (kept: MirrorReport["kept"][number]) => void,
  ) {}

  /** Of these folders, in the state that they have now. One that can have none is left out. */
  of(folders: readonly GitFolder[]): readonly GitMirror[] {
    for (const [path, mirror] of this.#all)
      if (!mirror.isThere || !folders.some((folder) => folder.path === path)) this.#end(path, mirror);
    for (const folder of folders)
      if (!this.#all.has(folder.path)) quietly(() => this.#begin(folder, join("git", `${this.#count++}`)));
    for (const mirror of this.#all.values()) quietly(() => mirror.sync());
    return [...this.#all.values()];
  }

  /** Carries over what killed sessions left. @param end ends what still runs of one, by its identity. */
  recover(end: (identity: string) => void): void {
    for (const left of this.session.abandoned()) {
      end(basename(left).replace(/\.\w+$/u, ""));
      for (const place of (quietly(() => readdirSync(join(left, "git"))) ?? []).map((name) =>
        join(left, "git", name),
      )) {
        const folder = GitMirror.folderIn(place);
        const open = () => folder && new GitMirror(folder, place, this.session.remains);
        quietly(open)?.close().kept.map(this.told);
      }
      this.session.forget(left);
    }
  }

  close(): void {
    for (const [path, mirror] of this.#all) this.#end(path, mirror);
  }

  #begin(folder: GitFolder, name: string): void {
    this.#all.set(folder.path, new GitMirror(folder, this.session.folder(name), this.session.remains));
  }

  #end(path: string, mirror: GitMirror): void {
    this.#all.delete(path);
    quietly(() => mirror.close().kept.map(this.told));
  }
}
