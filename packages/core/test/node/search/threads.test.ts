import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { freshFolder } from "../support.js";

const built = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** Files in which every hundredth holds a needle, and one that is large. */
function makeTree(files: number): { readonly root: string; readonly found: readonly string[] } {
  const root = join(freshFolder("holdfast-threads-"), "tree");
  const found: string[] = [];
  for (let at = 0; at < files; at++) {
    const folder = `d${String(at % 40).padStart(2, "0")}`;
    if (at < 40) mkdirSync(join(root, folder), { recursive: true });
    const isFound = at % 100 === 7;
    const name = `${folder}/f${String(at).padStart(5, "0")}.txt`;
    writeFileSync(join(root, name), `${"hay hay hay\n".repeat(400)}${isFound ? "a needle\n" : ""}`);
    if (isFound) found.push(`${name}:401:a needle`);
  }
  writeFileSync(join(root, "large.txt"), `${"hay hay hay\n".repeat(300_000)}a needle\n`);
  return { root, found: [...found.sort(), "large.txt:300001:a needle"] };
}

/** Says on standard error how many threads were started, at the end. */
const counting =
  "data:text/javascript,let n=0;process.on('worker',()=>n++);process.on('exit',()=>console.error('threads:',n))";

function search(
  root: string,
  program: readonly string[],
): { readonly lines: readonly string[]; readonly threads: number } {
  const done = spawnSync(process.execPath, ["--import", counting, ...program], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, HOLDFAST_STATE_DIR: `${root}-state` },
  });
  expect(done).toMatchObject({ status: 0 });
  const [, threads] = /threads: (\d+)/.exec(done.stderr) ?? [];
  return { lines: done.stdout.trim().split("\n"), threads: Number(threads) };
}

/** Of no letter of it a byte can be asked beforehand, so that every line is looked at. */
const word = "\\w{6}";
const command = [built("cli/bin/holdfast.js"), "search", word, "--limit", "1000"];
const library = [
  "--input-type=module",
  "--eval",
  `const { openWorkspace } = await import(${JSON.stringify(built("core/dist/node/index.js"))});
   const workspace = await openWorkspace({ roots: ["."], limits: { searchMs: 100_000 } });
   const found = await workspace.search({ pattern: ${JSON.stringify(word)}, limit: 1000 });
   for (const { path, line, text } of found.matches) console.log(path + ":" + line + ":" + text);
   await workspace.close();`,
];

let many: ReturnType<typeof makeTree>;
beforeAll(() => {
  many = makeTree(4_000);
});

test.each([
  ["the bundled command", command],
  ["a program with the library", library],
])("%s searches many files in threads, in the order of the walk, and ends", (_, program) => {
  const { root, found } = many;
  const { lines, threads } = search(root, program);
  expect(lines).toEqual(found);
  expect(threads).toBeGreaterThan(0);
});

// Again where the machine took so long that threads were worth it.
test("a small search starts none", { retry: 20 }, () => {
  const { root, found } = makeTree(50);
  rmSync(join(root, "large.txt"));
  expect(search(root, command)).toEqual({ lines: found.slice(0, -1), threads: 0 });
});
