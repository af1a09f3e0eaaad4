import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hangMs } from "../../../../test/until.js";

const stubs = "git npm make vitest touch".split(" ");
/** They do their work besides. */
const filters = "ls grep tail head wc sort cat".split(" ");
/** Options before the action are read as git does; `p` is an alias that does nothing. */
const git =
  "while [[ $1 == -* || $1 == p ]]; do [[ $1 == -[Cc] || $1 == --git-dir ]] && shift; shift; done\n";

/**
 * What bash starts for a command, each with its words, in a folder of its own: programs of these names are stubs that write
 * down what they are given. A file of the name `EVIL` that came of it counts as well.
 */
export function ranBy(command: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-traced-"));
  const program = (path: string, text: string) =>
    writeFileSync(join(folder, path), `#!/bin/bash\n${text}`, { mode: 0o755 });
  try {
    for (const place of ["stubs", "w/bin", "w/x", "w/sub"])
      mkdirSync(join(folder, place), { recursive: true });
    const note = `(IFS=' '; printf '%s\\0' "\${0##*/} $*") >> '${folder}/log'\n`;
    for (const name of stubs) program(`stubs/${name}`, (name === "git" ? git : "") + note);
    for (const name of filters) program(`stubs/${name}`, `${note}PATH=/usr/bin:/bin exec ${name} "$@"\n`);
    program("w/bin/git", note);
    program("w/x.sh", "git push\n");
    writeFileSync(join(folder, "log"), "");
    const env = { PATH: `${folder}/stubs:/usr/bin:/bin`, HOME: folder };
    spawnSync("bash", ["-c", command], { cwd: join(folder, "w"), env, input: "", timeout: hangMs });
    const made = ["w/EVIL", "w/sub/EVIL", "EVIL"].filter((name) => existsSync(join(folder, name)));
    const ran = readFileSync(join(folder, "log"), "utf8").split("\0");
    return [...ran.filter((line) => line !== ""), ...made.map((name) => `made ${name}`)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
