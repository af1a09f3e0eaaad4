import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { tools } from "./tools.js";
import { hangMs } from "./until.js";

/** What a test may ask of the machine, held over every file of tests. Whatever else is asked for, CI's first step finds. */
const house = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const named = ["ls-files", "-co", "--exclude-standard", "test/*.ts", "*/test/*.ts"];
const files = execFileSync("git", named, { cwd: house, encoding: "utf8" }).trim().split("\n");
const texts = files.map((file) => [file, readFileSync(join(house, file), "utf8")] as const);

it("no test starts a tool that a fresh machine has not, unless it asks for it by `has`", () => {
  const started = new RegExp(
    `\\b(?:spawn|exec|works|run)\\w*\\(\\s*["'\`](${Object.keys(tools).join("|")})\\b`,
    "g",
  );
  const unasked = texts.flatMap(([file, text]) =>
    [...text.matchAll(started)].flatMap(([, tool]) =>
      text.includes(`has("${tool}")`) ? [] : [`${file}: ${tool}`],
    ),
  );
  expect(unasked).toEqual([]);
  expect(texts.length).toBeGreaterThan(300);
});

it("no test judges the speed of the machine: a bound of time is `hangMs` or more, and none is of a processor", () => {
  const bounds = /timeout: (\d[\d_]{3,})\b|^ *\}, ([\d_]+)\);$|\bnow\(\) - \w+\)\.toBeLessThan\(([\d_]+)\)/gm;
  const short = texts.flatMap(([file, text]) =>
    [...text.matchAll(bounds)].flatMap(([bound, ...given]) => {
      const ms = Number(given.find((one) => one !== undefined)?.replaceAll("_", ""));
      return ms > 0 && ms < hangMs ? [`${file}: ${bound.trim()}`] : [];
    }),
  );
  const ofProcessors = /\b(?:cpuUsage|threadTicks)\b/;
  const judged = texts.filter(([file, text]) => !file.endsWith("tools.test.ts") && ofProcessors.test(text));
  expect([short, judged.map(([file]) => file)]).toEqual([[], []]);
});
