import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyDiff, type PatchOutcome } from "../../src/patch/index.js";

/**
 * Each folder of test/scenarios is a case: `before` (absent where there is no file), `diff`, `path` if the
 * request names one; then `after` (the new text, if the diff was applied) or `refusal` (its code), and `reply`,
 * which is all that the engine says. Where the words do not matter there is no `reply`: `refusal` may then be
 * `any`, and each line of `says` is a part of what is said. A case with the file `fails` is one that the engine does
 * not pass yet: it turns red when the engine does, and then the file goes. `UPDATE_SCENARIOS=1` writes what the
 * engine gives now into the other folders; read the difference before you keep it.
 */
const folder = join(import.meta.dirname, "../scenarios");
const rewrites = process.env.UPDATE_SCENARIOS === "1";

const files = ["after", "refusal", "reply"] as const;
type Expected = Partial<Record<(typeof files)[number], string>>;

describe("scenarios", () => {
  for (const name of readdirSync(folder).filter((entry) => /^\d{3}-/.test(entry))) {
    const at = (file: string) => join(folder, name, file);
    const read = (file: string) => (existsSync(at(file)) ? readFileSync(at(file), "utf8") : undefined);
    const expectedToFail = read("fails") !== undefined;
    it(name.slice(4).replaceAll("-", " "), { fails: expectedToFail }, () => {
      const path = read("path");
      const outcome = applyDiff({
        base: read("before") ?? null,
        diff: read("diff") ?? "",
        ...(path === undefined ? {} : { path }),
      });
      const given = describeOutcome(outcome);
      const isLoose = expectedToFail || read("says") !== undefined || read("refusal") === "any\n";
      if (rewrites && !isLoose) write(at, given);
      const expected = Object.fromEntries(
        files.flatMap((file) => {
          const text = read(file);
          return text === undefined ? [] : [[file, text]];
        }),
      );
      if (isLoose) checkLoosely(given, expected, read("says") ?? "");
      else expect(given).toEqual(expected);
    });
  }
});

/** The text or the refusal, and parts of what is said. */
function checkLoosely(given: Expected, expected: Expected, says: string): void {
  expect(given.after, given.reply).toBe(expected.after);
  if (expected.refusal === "any\n") expect(given.refusal, given.reply).toBeDefined();
  else expect(given.refusal, given.reply).toBe(expected.refusal);
  for (const part of says.split("\n").filter(Boolean)) expect(given.reply).toContain(part);
}

function describeOutcome(outcome: PatchOutcome): Expected {
  if (outcome.kind === "refusal") return { refusal: `${outcome.code}\n`, reply: `${outcome.message}\n` };
  const landed = outcome.landed.map(
    ({ hunk, oldStart, oldLines, newStart, newLines }) =>
      `hunk ${hunk}: -${oldStart},${oldLines} +${newStart},${newLines}`,
  );
  const repairs = outcome.repairs.map(({ kind, hunk, detail }) => {
    return `${kind}${hunk === undefined ? "" : `, hunk ${hunk}`}: ${detail}`;
  });
  const reply = [outcome.code, ...landed, ...repairs].map((line) => `${line}\n`).join("");
  return outcome.code === "applied" ? { after: outcome.text, reply } : { reply };
}

function write(at: (file: string) => string, given: Expected): void {
  for (const file of files) {
    const text = given[file];
    if (text === undefined) rmSync(at(file), { force: true });
    else writeFileSync(at(file), text);
  }
}
