import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Refusal, say } from "@holdfast/core/files/values";
import { beforeAll, describe, expect, test } from "vitest";
import { foreignNames, wordsOf } from "../../core/test/tools/door-words.js";
import { sentencesBelow, templatesBelow } from "../../core/test/tools/sentences.js";
import { applyWords, commandWords } from "../src/answers/command-words.js";
import { globalOptions, optionsOf } from "../src/command-spec.js";
import { commandSpecs } from "../src/command-table.js";
import { exitCodeOf } from "../src/shell/exit-code-of.js";
import { Project } from "./process.js";

/** No answer of a command names a tool or an argument of one: there are only commands and flags. */
const ten = Array.from({ length: 10 }, (_, at) => `line ${at + 1}\n`).join("");
const twice = "# A\n\none\none\n\n# A\n";
const files = {
  "f.md": ten,
  "twice.md": twice,
  "latin.txt": Uint8Array.from([0x67, 0x72, 0xf6, 0xdf, 0x0a]),
  "bytes.bin": Uint8Array.from([0, 1, 2, 3]),
  "big.txt": "x".repeat(300_000),
  ".holdfastignore": "hidden.txt\n",
  "in/x": "x",
  "in/hunk": "@@ -1 +1 @@\n-zzz\n+y\n",
  "in/one": "@@ -1 +1 @@\n-one\n+1\n",
  "in/set": "--- a/f.md\n+++ b/f.md\n@@ -1 +1 @@\n-line 1\n+x\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n",
  "in/umlaut": "ö",
  "in/nul": "\u0000",
  "in/words": "please change line 1",
  "in/empty": "",
  "in/latin": Uint8Array.from([0x66, 0xff]),
  "in/fence": "```\nopen\n",
};
const none = "0".repeat(64);

/** `{f}` and `{twice}` stand for the hashes of those files. */
const cases: readonly (readonly [code: Refusal["code"], line: string])[] = [
  ["missing_base", "write f.md in/x"],
  ["missing_base", "patch f.md in/one"],
  ["missing_base", "insert f.md 1 in/x"],
  ["missing_base", "apply in/set"],
  ["not_read", "edit f.md --old line --new x"],
  ["unknown_base", `write f.md in/x --base ${none}`],
  ["invalid_hash", "write f.md in/x --base nohash"],
  ["invalid_diff", "patch f.md in/hunk --atomic"],
  ["invalid_diff", "patch f.md in/words --atomic"],
  ["invalid_diff", "patch f.md in/empty --atomic"],
  ["multi_file_diff", "patch f.md in/set --atomic"],
  ["ambiguous", "patch twice.md in/one --atomic"],
  ["not_found", "edit f.md --old nowhere --new x --atomic"],
  ["occurrence_mismatch", "edit f.md --old line --new x --atomic"],
  ["occurrence_mismatch", "edit f.md --old line --new x --count 3 --atomic"],
  ["equal_strings", "edit f.md --old line --new line --atomic"],
  ["empty_old_string", "edit f.md --old= --new x --atomic"],
  ["placeholder", "edit f.md --old line\\ 2 --new //\\ ...\\ existing\\ code\\ ... --atomic"],
  ["out_of_range", "insert f.md 99 in/x --base {f}"],
  ["out_of_range", "read f.md --offset 99"],
  ["section_missing", "section f.md #\\ None in/x"],
  ["ambiguous", "section twice.md #\\ A in/x"],
  ["unencodable", "append latin.txt in/umlaut"],
  ["invalid_arguments", "append f.md in/nul"],
  ["invalid_arguments", "search ("],
  ["outside_workspace", "read ../out"],
  ["outside_workspace", "read /etc/hostname"],
  ["outside_workspace", "write /holdfast-never.txt in/x"],
  ["protected_path", "write .git/hooks/x in/x"],
  ["ignored_path", "read hidden.txt"],
  ["is_directory", "read in"],
  ["is_directory", "patch f.md in --atomic"],
  ["not_a_file", "list f.md"],
  ["binary", "read bytes.bin"],
  ["undecodable", "read latin.txt --encoding utf-8"],
  ["undecodable", "write new.txt in/latin"],
  ["too_large", "read big.txt"],
  ["file_missing", "read none"],
  ["file_missing", "write f.md none --atomic"],
  ["file_missing", "edit none --old a --new b --atomic"],
  ["nothing_to_undo", "undo f.md"],
  ["bytes_gone", `restore f.md@${none}`],
];

const flags = [{ options: globalOptions }, ...commandSpecs].flatMap(optionsOf).map((one) => one.flags);

describe("what a command refuses", () => {
  for (const [code, line] of cases) {
    test(`has its code, and names flags and commands only: ${line}`, async () => {
      const project = new Project(files);
      const given = line.replace("{f}", project.hash("f.md")).match(/(?:\\ |\S)+/g) ?? [];
      const args = given.map((one) => one.replaceAll("\\ ", " "));
      const text = await project.run(args);
      expect([text.stderr, text.code]).toEqual([expect.stringContaining(`${code}: `), exitCodeOf[code]]);
      expect(text.stdout).toBe("");
      expect(text.stderr).not.toMatch(/^\s+at /m);
      expect(project.text("f.md")).toBe(ten);
      expect(foreignNames(text.stdout + text.stderr, flags)).toEqual([]);
      // JSON has the seed's keys; its sentences are said in the same words.
      const json = await project.run([...args, "--json"]);
      const messages = [...json.stdout.matchAll(/"message":("(?:[^"\\]|\\.)*")/g)].map(([, one = ""]) => one);
      expect(messages.length).toBeGreaterThan(0);
      for (const message of messages) expect(foreignNames(message, flags)).toEqual([]);
    });
  }
});

test("every sentence can be said in the words of every command, and of apply", () => {
  const templates = templatesBelow(new URL("../../core/src/", import.meta.url)).filter(
    ({ file }) => file !== "files/values/refusal.ts",
  );
  expect(templates.length).toBeGreaterThan(35);
  for (const words of [commandWords, applyWords]) {
    const own = wordsOf(words);
    const foreign = templates
      .flatMap(({ forms }) => forms)
      .filter((template) => foreignNames(say({ template, facts: {} }, words), own).length > 0);
    expect(foreign).toEqual([]);
  }
});

test("what commands say themselves names no tool and no argument", () => {
  const own = ["cli/src/answers", "cli/src/commands", "cli/src/shell"].flatMap((folder) =>
    sentencesBelow(new URL(`../../${folder}/`, import.meta.url)).map((one) => ({ ...one, folder })),
  );
  const naming = own.flatMap(({ file, folder, forms }) => {
    const names = forms.flatMap((form) => foreignNames(form, [...flags, ...jsonKeys(file)]));
    return names.length === 0 ? [] : [`${folder}/${file}: ${names.join(", ")} in ${forms[0]}`];
  });
  expect(own.length).toBeGreaterThan(50);
  expect(naming).toEqual([]);
});

/** Edits are read as JSON with the keys of the tool; a server is told which tools to offer. */
function jsonKeys(file: string): readonly string[] {
  if (file === "mcp.ts") return ["apply_edit"];
  return file === "edit.ts" ? ["old_string", "new_string", "replace_all", "expected_replacements"] : [];
}

/** A tag character, a filler, a vowel separator and the blank of Braille: nobody sees them in a name. */
const unseenName = "a\u{e0041}b\u3164.txt";
const folder = "d\u180e";
const missing = "none\u2800";
const unseen = /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;

interface Command {
  readonly args: readonly string[];
  readonly input?: string;
}

const commands: readonly Command[] = (
  [
    [["list", "--depth", "3"]],
    [["find", "**/*"]],
    [["search", "needle"]],
    [["read", unseenName]],
    [["read", missing]],
    [["write", unseenName, "--atomic"], "two\n"],
    [["write", `new${missing}`], "two\n"],
    [["patch", unseenName, "-", "--base", "000000000000"], "@@ -1 +1 @@\n-two\n+three\n"],
    [["edit", unseenName, "--old", "zzz", "--new", "y", "--atomic"]],
    [["append", unseenName], "x\n"],
    [["log", unseenName]],
    [["undo", unseenName]],
    [["restore", `${unseenName}@000000000000`]],
    [["apply", "-"], `--- a/${unseenName}\n+++ b/${unseenName}\n@@ -1 +1 @@\n-two\n+four\n`],
    [["doctor", unseenName]],
    [["--root", folder, "list"]],
    [["--root", missing, "list"]],
    [["--root", folder, "doctor"]],
    [[`bad${missing}`]],
    [["list", `--${missing}`]],
  ] as const
).map(([args, input = ""]) => ({ args, input }));

describe("what no eye sees in a name is shown escaped", () => {
  let project: Project;
  beforeAll(() => {
    project = new Project({ [unseenName]: "needle\n" });
    mkdirSync(join(project.folder, folder));
    writeFileSync(join(project.folder, folder, "x\u2800.ts"), "needle\n");
  });

  test.each(commands)("by holdfast $args", async ({ args, input = "" }) => {
    for (const form of [[], ["--json"]]) {
      const command = [...args, "--state-dir", join(project.folder, "state"), ...form];
      const { stdout, stderr } = await project.run(command, { input });
      expect(`${stdout}${stderr}`).not.toMatch(unseen);
      expect(`${stdout}${stderr}`).not.toBe("");
    }
  });
});
