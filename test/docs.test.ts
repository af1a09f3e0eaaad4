import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/**
 * The examples of the documentation, run as they stand. In a block fenced as `console` a line that begins
 * with `$ ` is a command and the lines below it are what it prints (stdout and stderr together). `…`
 * stands for any text in a line; a line that is only `…` stands for any lines. The commands of one page
 * share a folder and a shell environment, from top to bottom.
 */
const house = resolve(dirname(fileURLToPath(import.meta.url)), "..");

interface Example {
  readonly command: string;
  readonly printed: readonly string[];
}

function examplesOf(page: string): readonly Example[] {
  const blocks = [...page.matchAll(/^```console\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? "");
  return blocks.flatMap((block) => {
    const examples: { command: string; printed: string[] }[] = [];
    for (const line of block.split("\n").slice(0, -1)) {
      if (line.startsWith("$ ")) examples.push({ command: line.slice(2), printed: [] });
      else examples.at(-1)?.printed.push(line);
    }
    return examples;
  });
}

function codeOf(page: string): readonly string[] {
  return [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? "");
}

function run(command: string, folder: string): readonly string[] {
  const bin = join(house, "node_modules/.bin");
  const shell = spawnSync("bash", ["-c", `exec 2>&1; ${command}`], {
    cwd: join(folder, "project"),
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: folder,
      XDG_STATE_HOME: join(folder, "state"),
    },
  });
  return shell.stdout.replace(/\n$/, "").split("\n");
}

/** Type-checks and runs the `ts` blocks of a page, in the page's folder. */
function runCode(code: string, folder: string): string {
  const project = join(folder, "project");
  const modules = join(project, "node_modules");
  if (!existsSync(modules)) symlinkSync(join(house, "node_modules"), modules);
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
  writeFileSync(join(project, "example.ts"), code);
  const tsc = [
    join(house, "node_modules/typescript/bin/tsc"),
    "--strict",
    "--target",
    "es2023",
    "--module",
    "nodenext",
  ];
  const types = ["--exactOptionalPropertyTypes", "--types", "node", "--skipLibCheck", "example.ts"];
  const compiled = spawnSync(process.execPath, [...tsc, ...types], { cwd: project, encoding: "utf8" });
  if (compiled.status !== 0) return compiled.stdout;
  const ran = spawnSync(process.execPath, ["example.js"], {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, XDG_STATE_HOME: join(folder, "state") },
  });
  return ran.status === 0 ? "" : ran.stderr;
}

/** The lines that do not match, or nothing. */
function differs(expected: readonly string[], printed: readonly string[]): string | undefined {
  const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const lines = expected.map((line) =>
    line.trim() === "…" ? "(?:.*\\n)*?" : `${literal(line).replaceAll("…", ".*")}\\n`,
  );
  const whole = new RegExp(`^${lines.join("")}$`);
  if (whole.test(`${printed.join("\n")}\n`)) return undefined;
  return `expected:\n${expected.join("\n")}\n\nprinted:\n${printed.join("\n")}`;
}

const pages = [
  "README.md",
  ...readdirSync(join(house, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

describe("the examples of the documentation", () => {
  for (const page of pages) {
    const text = readFileSync(join(house, page), "utf8");
    const examples = examplesOf(text);
    if (examples.length + codeOf(text).length === 0) continue;
    it(`of ${page} print what it says (${examples.length} commands)`, () => {
      const folder = mkdtempSync(join(tmpdir(), "holdfast-docs-"));
      try {
        spawnSync("mkdir", [join(folder, "project")]);
        const wrong = examples.map(({ command, printed }) => {
          const output = run(command, folder);
          const difference = printed.length === 0 ? undefined : differs(printed, output);
          return difference === undefined ? [] : [`$ ${command}\n${difference}`];
        });
        expect(wrong.flat().join("\n\n")).toBe("");
        for (const code of codeOf(text)) expect(runCode(code, folder)).toBe("");
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }

  it("are there at all", () => {
    const all = pages.flatMap((page) => examplesOf(readFileSync(join(house, page), "utf8")));
    expect(all.length).toBeGreaterThan(5);
  });
});

/** Anchors of a page as GitHub makes them of its headings. */
function anchorsOf(page: string): readonly string[] {
  const headings = [...withoutCode(page).matchAll(/^#+ (.*)$/gm)].map((match) => match[1] ?? "");
  return headings.map((text) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function withoutCode(page: string): string {
  return page.replace(/^```[\s\S]*?^```/gm, "");
}

/** The links of a page to files of the repository that lead nowhere. */
function deadLinks(page: string): readonly string[] {
  const text = withoutCode(readFileSync(join(house, page), "utf8"));
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? join(house, page) : resolve(house, dirname(page), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(target, "utf8")).includes(anchor);
  });
}

describe("the links of the documentation", () => {
  const linked = [
    ...pages,
    "AGENTS.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "bench/README.md",
  ];

  it.each(linked)("of %s lead to a file, and to a heading where they name one", (page) => {
    expect(deadLinks(page)).toEqual([]);
  });

  it("lead from docs/README.md to every page", () => {
    const index = readFileSync(join(house, "docs/README.md"), "utf8");
    const missing = pages.filter(
      (page) => /^docs\/(?!README)/.test(page) && !index.includes(`](${page.slice("docs/".length)})`),
    );
    expect(missing).toEqual([]);
  });
});
