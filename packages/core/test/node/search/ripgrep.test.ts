import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { has } from "../../../../../test/tools.js";
import type { Asked, SearchOutcome, SearchRequest } from "../../../src/files/values/index.js";
import { type Ground, ground } from "../../support.js";

const words = "alpha beta gamma Delta strasse needle_case const kelvin_Kind value 42".split(" ");
let random = 7;
const next = (below: number) => {
  random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
  return Math.floor((random / 2 ** 31) * below);
};
const line = () => Array.from({ length: 1 + next(8) }, () => words[next(words.length)]).join(" ");
const text = (lines: number, ending = "\n") => Array.from({ length: lines }, () => line() + ending).join("");

function tree(): Record<string, string | Uint8Array> {
  const files: Record<string, string | Uint8Array> = {
    ".gitignore": "*.log\n/build/\n!keep.log\nskip*\n",
    "src/.gitignore": "gen/\n!skipped.md\n",
    "a.log": text(9),
    "keep.log": text(9),
    "build/out.ts": text(9),
    "src/build/in.ts": text(9),
    "src/gen/g.ts": text(9),
    "src/skipped.md": text(9),
    "skip.me": text(9),
    ".hidden/x.ts": text(9),
    ".git/config": text(9),
    "bytes.bin": Uint8Array.of(97, 0, ...Buffer.from(text(9))),
    "latin.txt": Buffer.from(`caf\xe9\n${text(3)}`, "latin1"),
    "marked.txt": `\ufeff${text(5)}`,
    "wide.txt": Buffer.from(`\ufeff${text(5)}`, "utf16le"),
    "crlf.txt": text(9, "\r\n"),
    "open.txt": `${text(3)}needle_case at the end`,
    "folded.txt": "\u212Aelvin and \u017Ftrasse\nSTRASSE\n",
    "empty.txt": "",
    "large.txt": text(8_000),
    Makefile: text(5),
    "x.py": text(5),
    "x.tsx": text(5),
  };
  for (let at = 0; at < 90; at++)
    files[`src/d${at % 7}/e${at % 3}/f${at}.${["ts", "js", "md"][at % 3]}`] = text(20);
  return files;
}

/** What ripgrep prints, in one order; a line that ends in CR is told without it. */
function ripgrep({ root }: Ground, args: readonly string[]): readonly string[] {
  const same = ["--hidden", "--glob=!.git", "--no-ignore-global", "--no-ignore-parent", "--no-require-git"];
  const done = spawnSync(
    "rg",
    ["--no-config", "--no-heading", "--no-ignore-dot", "--crlf", ...same, ...args, "."],
    {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 28,
    },
  );
  expect([0, 1]).toContain(done.status);
  return done.stdout
    .split("\n")
    .map((printed) => printed.replace(/^\.\//, "").replace(/\r$/, ""))
    .filter((printed) => printed !== "" && printed !== "--")
    .sort();
}

async function ours(on: Ground, request: Asked<SearchRequest>): Promise<readonly string[]> {
  const outcome: SearchOutcome = await on.workspace.search({ limit: 10 ** 6, ...request });
  if (outcome.kind === "refusal") throw new Error(outcome.message);
  expect(outcome.more).toBeUndefined();
  const files = outcome.files?.map(({ path, lines }) => (lines === undefined ? path : `${path}:${lines}`));
  const lines = outcome.matches.flatMap(({ path, line: at, text: shown, before, after }) => [
    ...before.map((one, index) => `${path}-${at - before.length + index}-${one}`),
    `${path}:${at}:${shown}`,
    ...after.map((one, index) => `${path}-${at + 1 + index}-${one}`),
  ]);
  return [...(files ?? lines)].sort();
}

describe.runIf(has("rg"))("the same lines as ripgrep under the same ignore rules", () => {
  const cases: readonly (readonly [Asked<SearchRequest>, readonly string[]])[] = [
    [{ pattern: "needle_case" }, ["-n", "needle_case"]],
    [{ pattern: "needle_case alpha beta" }, ["-n", "needle_case alpha beta"]],
    [{ pattern: "value 42", literal: true }, ["-nF", "value 42"]],
    [{ pattern: "^(alpha|beta) (gamma|Delta)" }, ["-n", "^(alpha|beta) (gamma|Delta)"]],
    [{ pattern: "\\bcon\\w+ 4\\d$" }, ["-n", "\\bcon\\w+ 4\\d$"]],
    [{ pattern: "a{2,}|(needle){1}_c?ase const" }, ["-n", "a{2,}|(needle){1}_c?ase const"]],
    [{ pattern: "[xyz]|^$" }, ["-n", "[xyz]|^$"]],
    [{ pattern: "[A-Z]\\w+ [0-9]+ gamma" }, ["-n", "[A-Z]\\w+ [0-9]+ gamma"]],
    [{ pattern: "KELVIN_KIND strasse", ignoreCase: true }, ["-ni", "KELVIN_KIND strasse"]],
    [{ pattern: "strasse$", ignoreCase: true }, ["-ni", "strasse$"]],
    [{ pattern: "kelvin and", ignoreCase: true }, ["-ni", "kelvin and"]],
    [{ pattern: "nowhere at all" }, ["-n", "nowhere at all"]],
    [{ pattern: "Delta Delta Delta", context: 2 }, ["-nC2", "Delta Delta Delta"]],
    [{ pattern: "42 42", output: "files" }, ["-l", "42 42"]],
    [{ pattern: "42 42", output: "counts" }, ["-c", "42 42"]],
    [{ pattern: "alpha", types: ["ts"], output: "counts" }, ["-c", "-tts", "alpha"]],
    [{ pattern: "alpha", types: ["py", "md"], output: "files" }, ["-l", "-tpy", "-tmd", "alpha"]],
    [{ pattern: "alpha", types: ["make"] }, ["-n", "-tmake", "alpha"]],
    [{ pattern: "alpha", globs: ["*.md"], output: "files" }, ["-l", "-g*.md", "alpha"]],
    [
      { pattern: "alpha", types: ["ts"], path: "src/d1", output: "counts" },
      ["-c", "-tts", "alpha", "src/d1"],
    ],
  ];
  test("for every kind of pattern, with context, types, counts and names of files alone", async () => {
    const on = await ground(tree(), { limits: { searchUnits: 10 ** 9, searchMs: 10 ** 6 } });
    for (const [request, args] of cases) {
      const expected =
        request.path === undefined
          ? ripgrep(on, args)
          : ripgrep(on, args.slice(0, -1)).filter((one) => one.startsWith("src/d1/"));
      expect([request, await ours(on, request)]).toEqual([request, expected]);
    }
  });
});
