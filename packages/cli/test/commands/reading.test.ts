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

  test("a window is told with its lines and the number of all", async () => {
    const project = new Project({ "a.txt": poem });
    const done = await project.run(["read", "a.txt", "--offset", "2", "--limit", "1"]);
    expect(done).toMatchObject({ code: 0, stdout: "two\n" });
    expect(done.stderr).toContain("lines 2-2 of 3");
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
