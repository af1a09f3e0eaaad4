import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyPatch } from "diff";
import { describe, expect, it } from "vitest";
import { type Case, classNames, generate, loadPool, regenerate } from "../bench/generator/index.mjs";
import { has } from "./tools.js";

const pool = loadPool();
const cases = generate("test", 6, classNames, pool);
const of = (name: string) => cases.filter((made) => made.class === name);

describe("the error-model generator", () => {
  it("makes the same cases for the same seed, whatever else is asked for", () => {
    const [name = "", other = ""] = classNames.toReversed();
    expect(generate("test", 6, [other, name], pool)).toEqual([...of(other), ...of(name)]);
    expect(generate("another", 6, [name], pool)).not.toEqual(of(name));
  });

  it("makes a case again by its seed alone", () => {
    for (const name of classNames)
      for (const made of of(name).slice(0, 1)) expect(regenerate(made.seed, pool)).toEqual(made);
  });

  it.each(classNames)("finds cases of the class %s", (name) => {
    expect(of(name)).toHaveLength(6);
  });

  it("marks a right text that is not the base, except where there is nothing to do", () => {
    for (const { class: name, base, expect: expected } of cases) {
      if (expected.kind !== "one_right_text") continue;
      expect(expected.text === base, name).toBe(name === "nothing_to_do");
    }
  });

  it("has its undamaged diffs confirmed by jsdiff", () => {
    for (const made of generate("oracle", 60, ["intact"], pool)) {
      expect(applyPatch(made.base, made.diff), made.seed).toBe(textOf(made));
    }
  });

  it.skipIf(!has("patch"))("has its undamaged diffs confirmed by GNU patch", () => {
    for (const made of generate("oracle", 12, ["intact"], pool)) {
      expect(applyWithPatch(made), made.seed).toBe(textOf(made));
    }
  });

  it("has damage that is harmless by definition confirmed by jsdiff", () => {
    const harmless = ["timestamps", "git_headers", "no_file_header", "wrong_path", "lines_off_by_few"];
    for (const made of generate("oracle", 20, harmless, pool)) {
      expect(applyPatch(made.base, made.diff), made.seed).toBe(textOf(made));
    }
  });

  it("has diffs written by git confirmed by jsdiff", () => {
    for (const made of ["git_reversed", "git_mnemonic_prefix", "git_no_prefix", "git_quoted_name"].flatMap(
      of,
    )) {
      expect(applyPatch(made.base, made.diff, { autoConvertLineEndings: false }), made.seed).toBe(
        textOf(made),
      );
    }
  });

  it("has exact old numbers confirmed by jsdiff, which looks there first", () => {
    for (const made of [...of("exact_old_number_new_number_lies"), ...of("section_against_exact_number")]) {
      expect(applyPatch(made.base, made.diff), made.seed).toBe(textOf(made));
    }
  });

  it("cuts diffs off only where the header promises more of both", () => {
    for (const made of of("cut_off_after_an_added_line")) {
      const last = made.diff.slice(made.diff.lastIndexOf("\n@@") + 1).replace(/\n$/, "");
      const [header = "", ...body] = last.split("\n");
      const [, old, fresh] = /^@@ -\d+(?:,(\d+))? [+]\d+(?:,(\d+))? @@/.exec(header) ?? [];
      const count = (but: string) => body.filter((line) => !line.startsWith(but)).length;
      expect(body.at(-1)?.startsWith("+"), made.seed).toBe(true);
      expect(Number(old ?? 1) - count("+"), made.seed).toBeGreaterThanOrEqual(1);
      expect(Number(fresh ?? 1) - count("-"), made.seed).toBeGreaterThanOrEqual(2);
    }
  });

  it("makes whole files of every kind, some of them with CRLF and tabs", () => {
    const texts = pool.forms.map(({ text }) => text);
    expect(new Set(pool.forms.map(({ name }) => name.split(".").at(-1))).size).toBeGreaterThanOrEqual(10);
    expect(texts.some((text) => text.includes("\r\n"))).toBe(true);
    expect(texts.some((text) => text.includes("\n\t"))).toBe(true);
  });

  it("asks for a refusal of removals only where a removed line is nowhere in the file, or one is left out", () => {
    for (const made of ["removal_invented", "removal_mutated", "removal_half_quoted"].flatMap(of)) {
      const lines = new Set(made.base.split("\n"));
      const removed = made.diff.split("\n").filter((line) => /^-(?!-- a\/)/.test(line));
      expect(
        removed.some((line) => !lines.has(line.slice(1))),
        made.seed,
      ).toBe(true);
    }
  });

  it("asks for a refusal of copies only where the old lines stand at several places", () => {
    for (const made of [...of("copies_without_number"), ...of("copies_at_a_distance")]) {
      const body = made.diff.slice(made.diff.indexOf("\n@@")).trimStart().split("\n").slice(1, -1);
      const old = body.filter((line) => !line.startsWith("+")).map((line) => `${line.slice(1)}\n`);
      expect(
        `\n${made.base.replaceAll("\r", "")}`.split(`\n${old.join("")}`).length,
        made.seed,
      ).toBeGreaterThan(2);
    }
  });

  it("calls applied only what gives the same text when the diff is taken back and made again", () => {
    for (const made of of("already_applied")) {
      expect(applyPatch(made.base, made.diff), made.seed).toBe(false);
    }
  });
});

function textOf(made: Case): string {
  return "text" in made.expect ? made.expect.text : "";
}

function applyWithPatch(made: Case): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-generator-"));
  try {
    const file = join(folder, "file");
    writeFileSync(file, made.base);
    spawnSync("patch", ["--batch", "--silent", "--fuzz=0", file], { input: made.diff });
    return readFileSync(file, "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
