import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
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
import { afterAll, describe, expect, it } from "vitest";
import { program } from "../packages/cli/test/process.js";

/**
 * The examples of the documentation. In a block fenced as `console` a line that begins with `$ ` is a command and the
 * lines below it are what it prints (stdout and stderr together). `…` stands for any text in a line; a line that is
 * only `…` stands for any lines. The commands of one page share a folder and a shell environment, from top to bottom.
 * What they print stands in `golden/expected/commands-documented.txt`, whose scene runs them all.
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
      // Golden files have ids and moments in braces.
      else examples.at(-1)?.printed.push(line.replaceAll(/\b(?:01|20)[0-9a-z-]*…/g, "…"));
    }
    return examples;
  });
}

function codeOf(page: string): readonly string[] {
  return [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map((match) => match[1] ?? "");
}

/** What the program prints for the examples of each page. */
function goldenExamples(): ReadonlyMap<string, readonly Example[]> {
  const text = readFileSync(join(house, "golden/expected/commands-documented.txt"), "utf8");
  return new Map(
    text.split(/^# /m).map((part) => {
      const [page = "", ...lines] = part.split("\n");
      const examples = lines.join("\n").split(/^\$ /m).slice(1);
      return [page, examples.map((example) => exampleOf(example.split("\n")))];
    }),
  );
}

function exampleOf([command = "", ...framed]: readonly string[]): Example {
  const printed = framed.flatMap((line) => (line.startsWith("|") ? [line.slice(1)] : []));
  // What is printed ends with a line's end.
  return { command, printed: printed.at(-1) === "" ? printed.slice(0, -1) : printed };
}

/** Runs the commands of a page, for the code that works on what they leave. */
function runAll(examples: readonly Example[], folder: string): void {
  const holdfast = `holdfast() { "${process.execPath}" "${program}" "$@"; }`;
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { ...process.env, PATH, HOME: folder, XDG_STATE_HOME: join(folder, "state") };
  const script = [holdfast, ...examples.map(({ command }) => command)].join("\n");
  spawnSync("bash", ["-c", script], { cwd: join(folder, "project"), env });
}

/** Every `ts` block of the pages, checked by one compiler and run by one process, each in the folder of its page. */
class Blocks {
  readonly folder = mkdtempSync(join(tmpdir(), "holdfast-blocks-"));
  readonly #complaints: readonly string[];
  readonly #failures: Readonly<Record<string, string>>;

  constructor(pagesOfCode: ReadonlyMap<string, readonly string[]>, folderOf: (page: string) => string) {
    symlinkSync(join(house, "node_modules"), join(this.folder, "node_modules"));
    writeFileSync(join(this.folder, "package.json"), '{"type":"module"}');
    const blocks = [...pagesOfCode].flatMap(([page, codes]) =>
      codes.map((code, at) => ({ name: nameOf(page, at), code, folder: folderOf(page) })),
    );
    for (const { name, code } of blocks) writeFileSync(join(this.folder, `${name}.ts`), code);
    const options = [
      "--strict",
      "--target",
      "es2023",
      "--module",
      "nodenext",
      "--exactOptionalPropertyTypes",
    ];
    const tsc = join(house, "node_modules/typescript/bin/tsc");
    const names = blocks.map(({ name }) => `${name}.ts`);
    const args = [tsc, ...options, "--types", "node", "--skipLibCheck", ...names];
    const compiled = spawnSync(process.execPath, args, { cwd: this.folder, encoding: "utf8" });
    this.#complaints = compiled.status === 0 ? [] : compiled.stdout.split("\n");
    const orders = blocks.map(({ name, folder }) => ({
      file: join(this.folder, `${name}.js`),
      name,
      folder,
    }));
    const ran = spawnSync(process.execPath, [join(house, "test/fixtures/run-blocks.mjs")], {
      input: JSON.stringify(orders),
      encoding: "utf8",
    });
    // Our own fixture prints it last; what a block prints stands before it. A block that ends the process fails them all.
    const told = ran.stdout.slice(ran.stdout.lastIndexOf("\n", ran.stdout.length - 2) + 1);
    this.#failures = ran.status === 0 ? (JSON.parse(told) as Record<string, string>) : {};
    if (ran.status !== 0) this.#complaints = [...this.#complaints, ran.stderr];
  }

  /** @returns what is wrong with a block. */
  wrongWith(page: string, at: number): string {
    const name = nameOf(page, at);
    // What names no block, such as a compiler that does not start, is told of each.
    const complaints = this.#complaints.filter(
      (line) => line.startsWith(`${name}.ts`) || (/^\S/.test(line) && !/^[\w-]+-\d+\.ts\(/.test(line)),
    );
    return complaints.length > 0 ? complaints.join("\n") : (this.#failures[name] ?? "");
  }
}

function nameOf(page: string, at: number): string {
  return `${page.replaceAll(/[^a-z0-9]/gi, "-")}-${at}`;
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
  const top = mkdtempSync(join(tmpdir(), "holdfast-docs-"));
  const folderOf = (page: string) => join(top, page.replaceAll("/", "-"));
  afterAll(() => rmSync(top, { recursive: true, force: true }));
  const read = pages.map((page) => [page, readFileSync(join(house, page), "utf8")] as const);
  for (const page of pages) mkdirSync(join(folderOf(page), "project"), { recursive: true });

  const golden = goldenExamples();
  const documented = new Map(read.map(([page, text]) => [page, examplesOf(text)]));
  it.each([...documented].filter(([, examples]) => examples.length > 0))(
    "of %s print what it says",
    (page, examples) => {
      const ran = golden.get(page) ?? [];
      expect(ran.map(({ command }) => command)).toEqual(examples.map(({ command }) => command));
      const wrong = examples.flatMap(({ command, printed }, at) => {
        const output = ran[at]?.printed ?? [];
        const difference = printed.length === 0 ? undefined : differs(printed, output);
        return difference === undefined ? [] : [`$ ${command}\n${difference}`];
      });
      expect(wrong.join("\n\n")).toBe("");
    },
  );

  it("that are code compile and run, after the commands of their pages", () => {
    const codes = new Map(read.map(([page, text]) => [page, codeOf(text)]));
    for (const [page, code] of codes) if (code.length > 0) runAll(documented.get(page) ?? [], folderOf(page));
    const blocks = new Blocks(codes, folderOf);
    try {
      const wrong = [...codes].flatMap(([page, code]) =>
        code.map((_, at) => blocks.wrongWith(page, at)).filter((said) => said !== ""),
      );
      expect(wrong.join("\n\n")).toBe("");
      expect([...codes.values()].flat().length).toBeGreaterThan(5);
    } finally {
      rmSync(blocks.folder, { recursive: true, force: true });
    }
  });

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
    "bench/generator/README.md",
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
