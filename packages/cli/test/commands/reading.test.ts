import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Project, sha256 } from "../process.js";

const poem = "one\ntwo\nthree\n";

describe("read", () => {
  const exact = [
    { name: "a text", content: poem },
    { name: "CRLF and a lone return", content: "a\r\nb\rc\r\n" },
    { name: "a byte order mark", content: "\ufeffa\n" },
    { name: "no final newline", content: "a\nb" },
    { name: "nothing", content: "" },
    { name: "escape sequences", content: "\u001b[31mred\u001b[0m\n" },
    { name: "more than a pipe holds", content: "0123456789abcde\n".repeat(15_000) },
  ];
  test.each(exact)("gives a pipe exactly the bytes of the file: $name", async ({ content }) => {
    const project = new Project({ "a.txt": content });
    const done = await project.run(["read", "a.txt"]);
    expect(done.bytes.equals(project.bytes("a.txt"))).toBe(true);
    expect(done.code).toBe(0);
    expect(done.stderr).toContain(`a.txt  sha256 ${project.hash("a.txt")}`);
  });

  test("a link is told with where it leads, in a listing and at its deletion, too", async () => {
    const project = new Project({ "a.txt": poem });
    symlinkSync("a.txt", join(project.folder, "link"));
    expect((await project.run(["read", "link"])).stderr).toContain("link -> a.txt  sha256");
    expect((await project.run(["list"])).stdout).toContain("link -> a.txt  (link)");
    expect((await project.run(["delete", "link"])).stderr).toContain("link -> a.txt  sha256");
  });

  test("a window is told with its lines and the number of all", async () => {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["read", "a.txt", "--offset", "2", "--limit", "1"]);
    expect(done).toMatchObject({ code: 0, stdout: "two\n" });
    expect(done.stderr).toContain("lines 2-2 of 3");
  });

  test("a part of a long line is told with its characters, and read on from there", async () => {
    const line = "äbc".repeat(100_000);
    const project = new Project({ "a.txt": `x\n${line}\n` });
    for (const from of [0, 200_000]) {
      const done = await project.run(["read", "a.txt", "--offset", "2", "--char-offset", `${from}`]);
      expect(done).toMatchObject({ code: 0, stdout: line.slice(from) });
      expect(done.stderr).toContain(`lines 2-2 of 2  characters ${from}-300000 of 300000`);
    }
    const whole = await project.run(["read", "a.txt", "--offset", "2"]);
    expect(whole.stderr).toContain("--offset and --char-offset");
  });

  test("a legacy encoding is read as it is named and told", async () => {
    const project = new Project({ "a.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]) });
    const done = await project.run(["read", "a.txt", "--encoding", "iso-8859-1"]);
    expect(done).toMatchObject({ code: 0, stdout: "café\n" });
    expect(done.stderr).toContain("iso-8859-1");
  });

  test("--json is the seed's object", async () => {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["read", "a.txt", "--json"]);
    expect(JSON.parse(done.stdout)).toEqual({
      file_path: "a.txt",
      version: 1,
      sha256: sha256(poem),
      content: poem,
    });
    expect(done).toMatchObject({ code: 0, stderr: "" });
  });

  test("a name with an escape sequence reaches the terminal escaped", async () => {
    const project = new Project();
    const done = await project.run(["read", "a\u001b[31mb.txt"]);
    expect(done.code).toBeGreaterThan(1);
    expect(done.stderr).not.toContain("\u001b");
  });
});

describe("list", () => {
  test("shows sizes and folders, without what is ignored", async () => {
    const project = new Project({
      ".gitignore": "*.log\n",
      "a.txt": poem,
      "b.log": "x",
      "src/c.ts": "y",
    });
    const plain = await project.run(["list"]);
    expect(plain.code).toBe(0);
    expect(plain.stdout).toMatch(/^14 {2}a\.txt$/m);
    expect(plain.stdout).toMatch(/^ ?- {2}src\/$/m);
    expect(plain.stdout).not.toContain("b.log");
    const all = await project.run(["list", "--all", "--depth", "2"]);
    expect(all.stdout).toContain("b.log");
    expect(all.stdout).toContain("src/c.ts");
  });

  test("--json is the tool's object", async () => {
    const project = new Project({ "a.txt": poem, "src/c.ts": "y" });
    const done = await project.run(["list", "--json"]);
    expect(JSON.parse(done.stdout)).toMatchObject({
      entries: [
        { path: "a.txt", is_directory: false, size_bytes: 14 },
        { path: "src", is_directory: true },
      ],
      more: false,
    });
  });
});

describe("find and search", () => {
  const files = { "a.ts": "one\n// TODO: two\n", "b/c.ts": "TODO\n", "b/d.bin": Uint8Array.of(0, 1) };

  test("print paths and lines as scripts know them", async () => {
    const project = new Project(files);
    expect(await project.run(["find", "*.ts"])).toMatchObject({
      code: 0,
      stdout: "a.ts\nb/c.ts\n",
      stderr: "",
    });
    const done = await project.run(["search", "TODO", "-C", "1"]);
    expect(done).toMatchObject({ code: 0, stdout: "a.ts-1-one\na.ts:2:// TODO: two\nb/c.ts:1:TODO\n" });
    expect(done.stderr).toBe("Not searched: 1 file that is not text.\n");
  });

  test("--json is the object of the tool", async () => {
    const project = new Project(files);
    const found = await project.run(["find", "c.*", "b", "--json"]);
    expect(JSON.parse(found.stdout)).toEqual({
      path: "b",
      files: [{ path: "b/c.ts", is_directory: false, size_bytes: 5 }],
    });
    const searched = await project.run(["search", "-F", "todo:", "-i", "--json"]);
    expect(JSON.parse(searched.stdout)).toMatchObject({
      matches: [{ file_path: "a.ts", line: 2, column: 4, text: "// TODO: two" }],
      searched_files: 3,
      skipped: { binary: 1 },
    });
  });

  test("refusals have the exit codes of their kind", async () => {
    const project = new Project(files);
    expect((await project.run(["search", "("])).code).toBe(4);
    expect((await project.run(["search", "x", "../.."])).code).toBe(5);
    expect((await project.run(["find", "*", "none"])).code).toBe(3);
  });

  test("a file of any size is searched in bounded memory", async () => {
    const project = new Project();
    const line = `${"0123456789".repeat(10)}\n`;
    project.put("big.log", `${line.repeat(2_000_000)}needle\n`);
    const tell = "process.on('exit', () => console.error('kB', process.resourceUsage().maxRSS))";
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}` };
    // The file has 202 MB; Node itself takes about 50. Beside other work the collector comes late: the best of three tells.
    let least = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 3 && least >= 230_000; tries++) {
      const done = await project.run(["search", "need.e"], { env });
      expect(done).toMatchObject({ code: 0, stdout: "big.log:2000001:needle\n" });
      const [, kilobytes = "0"] = /kB (\d+)/.exec(done.stderr) ?? [];
      expect(Number(kilobytes)).toBeGreaterThan(10_000);
      least = Math.min(least, Number(kilobytes));
    }
    expect(least).toBeLessThan(230_000);
  });
});
