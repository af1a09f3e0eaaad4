import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { has } from "../../../../test/tools.js";
import { Project, runHoldfast } from "../process.js";

interface Line {
  readonly words: readonly string[];
  readonly offers: readonly string[];
  readonly offersNot?: readonly string[];
}

const lines: readonly Line[] = [
  { words: ["se"], offers: ["search", "setup"], offersNot: ["read", "--root"] },
  { words: ["--ro"], offers: ["--root"], offersNot: ["search"] },
  { words: ["read", "a"], offers: ["a.txt"], offersNot: ["read"] },
  { words: ["read", "--o"], offers: ["--offset"], offersNot: ["--context"] },
  { words: ["search", "-"], offers: ["--literal", "-F", "--json", "--help"], offersNot: ["--offset"] },
  { words: ["mcp", "--wire", ""], offers: ["text", "json"], offersNot: ["a.txt"] },
  { words: ["mcp", "--compat", "f"], offers: ["filesystem"] },
  { words: ["setup", "c"], offers: ["claude", "cursor"], offersNot: ["gemini"] },
  { words: ["completion", ""], offers: ["bash", "zsh", "fish"] },
  { words: ["--root", "fo", ""], offers: ["read", "search"], offersNot: ["a.txt"] },
  { words: ["--root", "fo"], offers: ["folder"], offersNot: ["a.txt"] },
];

const project = new Project({ "a.txt": "", "folder/b.txt": "" });

async function script(shell: string): Promise<string> {
  const done = await runHoldfast(["completion", shell]);
  expect(done).toMatchObject({ code: 0, stderr: "" });
  const path = join(project.folder, `holdfast.${shell}`);
  writeFileSync(path, done.stdout);
  return path;
}

function ask(program: string, args: readonly string[]): readonly string[] {
  const run = spawnSync(program, args, { cwd: project.folder, encoding: "utf8" });
  expect(run.stderr).toBe("");
  return run.stdout.split("\n").map((line) => line.split("\t")[0]?.replace(/\/$/, "") ?? "");
}

function check(offered: readonly string[], { offers, offersNot = [] }: Line): void {
  expect(offered).toEqual(expect.arrayContaining([...offers]));
  for (const word of offersNot) expect(offered).not.toContain(word);
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");

describe("completion", () => {
  test.each(lines)("in bash: $words", async (line) => {
    const source = `source "$0"; COMP_WORDS=(holdfast ${quoted(line.words)}); COMP_CWORD=${line.words.length}; _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`;
    check(ask("bash", ["--norc", "-c", source, await script("bash")]), line);
  });

  test.skipIf(!has("zsh")).each(lines)("in zsh: $words", async (line) => {
    const stubs = `compdef() { :; }; compadd() { shift; print -l -- \${(M)@:#$current*}; }; _files() { [ "$1" = -/ ] && print -l -- $current*(N/) || print -l -- $current*(N); }`;
    const source = `${stubs}; source "$0"; words=(holdfast ${quoted(line.words)}); CURRENT=$#words; _holdfast`;
    check(ask("zsh", ["-f", "-c", source, await script("zsh")]), line);
  });

  test.skipIf(!has("fish")).each(lines)("in fish: $words", async (line) => {
    const source = `source ${await script("fish")}; complete -C '${["holdfast", ...line.words].join(" ")}'`;
    check(ask("fish", ["--no-config", "-c", source]), line);
  });

  test("knows its shells", async () => {
    expect(await runHoldfast(["completion", "tcsh"])).toMatchObject({ code: 2 });
  });
});
