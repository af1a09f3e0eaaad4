import type { FileOutcome, FileRequest } from "@holdfast/core/files/values";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openCharsets } from "../src/node/disk/charsets.js";
import { ground } from "./support.js";

/** Bytes that stay are no new text: what a change does not name keeps its bytes, whatever they mean. */

const codec = openCharsets();
const kinds: readonly (readonly [charset: string, comment: string])[] = [
  ["gbk", "初始化配置文件并检查参数"],
  ["big5", "初始化設定檔並檢查參數"],
  ["shift_jis", "設定ファイルを初期化する"],
  ["euc-jp", "設定ファイルを初期化する"],
  ["euc-kr", "설정 파일을 초기화한다"],
  ["latin1", "Größe prüfen und ändern"],
  ["windows-1250", "Příliš žluťoučký kůň úpěl"],
  ["windows-1252", "Größe “prüfen” – ändern"],
  ["windows-1254", "değişken şu işi yapıyor"],
];
/** Stands for the bytes of the comment, which are compared as they are. */
const source = Array.from({ length: 25 }, (_, at) => `int f${at}(void); // COMMENT\n`).join("");
const document = `# One\n\nint f1(void); // COMMENT\nint f2(void); // COMMENT\n\n# Two\n\nCOMMENT\n`;

interface Door {
  readonly name: string;
  readonly before?: string;
  /** With the comment as the model reads it. */
  request(read: string, base: string): FileRequest;
  after(before: string): string;
}

const path = "f.md";
const twice = (text: string) => text.replace("f1(void)", "f1(int)").replace("f2(void)", "f2(int)");
const edits = [
  { oldString: "int f1(void);", newString: "int f1(int);" },
  { oldString: "int f2(void);", newString: "int f2(int);" },
];
const doors: readonly Door[] = [
  { name: "edit", request: () => ({ kind: "edit", path, edits }), after: twice },
  {
    name: "edit, with the comments in both texts",
    request: (read) => {
      const oldString = read.split("\n").slice(1, 3).join("\n");
      return { kind: "edit", path, edits: [{ oldString, newString: twice(oldString) }] };
    },
    after: twice,
  },
  {
    name: "edit that moves a line",
    request: (read) => {
      const [, one = "", two = ""] = read.split("\n");
      const edit = { oldString: `${one}\n${two}\n`, newString: `${two}\n// -\n${one}\n` };
      return { kind: "edit", path, edits: [edit] };
    },
    after: (text) => text.replace(/(int f1.*\n)(int f2.*\n)/, "$2// -\n$1"),
  },
  {
    name: "replace",
    request: () => ({ kind: "replace", path, oldString: "int f1(void);", newString: "int f1(int);" }),
    after: (text) => text.replace("f1(void)", "f1(int)"),
  },
  {
    name: "patch",
    request: (read, base) => {
      const [zero, one = "", two = "", three] = read.split("\n");
      const diff = `@@ -1,4 +1,4 @@\n ${zero}\n-${one}\n-${two}\n+${twice(one)}\n+${twice(two)}\n ${three}\n`;
      return { kind: "patch", path, diff, base };
    },
    after: twice,
  },
  {
    name: "write",
    request: (read, base) => ({ kind: "write", path, content: twice(read), base }),
    after: twice,
  },
  {
    name: "append",
    request: () => ({ kind: "append", path, content: "x\n" }),
    after: (text) => `${text}x\n`,
  },
  {
    name: "prepend",
    request: () => ({ kind: "prepend", path, content: "x\n" }),
    after: (text) => `x\n${text}`,
  },
  {
    name: "edit_lines",
    request: (read, base) => ({
      kind: "edit_lines",
      path,
      base,
      edits: [{ from: 2, to: 3, content: twice(read.split("\n").slice(1, 3).join("\n")) }],
    }),
    after: twice,
  },
  {
    name: "insert_lines",
    request: (_, base) => ({ kind: "insert_lines", path, afterLine: 1, content: "x", base }),
    after: (text) => text.replace("\n", "\nx\n"),
  },
  {
    name: "update_section",
    before: document,
    request: (read) => {
      const newContent = twice(read.slice(read.indexOf("int"), read.indexOf("\n\n# Two")));
      return { kind: "update_section", path, sectionHeader: "# One", newContent };
    },
    after: twice,
  },
  {
    name: "apply_changes",
    request: (_, base) => ({
      kind: "apply_changes",
      changes: [{ path, base, content: { kind: "edits", edits } }],
    }),
    after: twice,
  },
];

async function opened(bytes: Uint8Array) {
  const on = await ground({ [path]: bytes });
  const read = await on.workspace.read({ path });
  if (read.kind !== "read") throw new Error(read.message);
  const run = async (request: FileRequest): Promise<FileOutcome> => on.workspace.run(request);
  return { on, run, read, text: read.state.content };
}

const withComment = (text: string, comment: Uint8Array): Buffer => {
  const parts = text.split("COMMENT").flatMap((part) => [Buffer.from(part), comment]);
  return Buffer.concat(parts.slice(0, -1));
};

describe.each(kinds)("beside a comment in %s", (charset, comment) => {
  it.each(doors)("$name keeps the bytes of all that stays", async ({ before = source, request, after }) => {
    const bytes = codec.encode(comment, charset);
    const { on, run, read, text } = await opened(withComment(before, bytes));
    expect(read.state.facts?.guessed).toBe(true);
    expect(await run(request(text, read.state.sha256))).toMatchObject({ success: true });
    expect(on.bytes(path).equals(withComment(after(before), bytes))).toBe(true);
  });
});

it("new letters wait for the encoding, also within a line whose other letters stay", async () => {
  const { on, run, text } = await opened(withComment(source, codec.encode("Größe prüfen", "latin1")));
  const [, oldString = ""] = text.split("\n");
  const newString = oldString.replace("prüfen", "löschen");
  const before = on.bytes(path);
  expect(await run({ kind: "edit", path, edits: [{ oldString, newString }] })).toMatchObject({
    code: "unencodable",
  });
  expect(on.bytes(path).equals(before)).toBe(true);
});

describe("an encoding that was named", () => {
  const bytes = codec.encode("初始化配置文件", "gbk");
  const edit = (at: number, text: string, encoding?: string): FileRequest => {
    const named = encoding === undefined ? {} : { encoding };
    return { kind: "edit", path, edits: [{ oldString: `int f${at}(void);`, newString: text }], ...named };
  };

  it.each([
    ["gbk", "after a read without it"],
    ["latin1", "where what was shown was another text"],
  ])("counts for the next calls: %s, %s", async (encoding) => {
    const { run, on } = await opened(withComment(source, bytes));
    for (const request of [edit(1, "one;", encoding), edit(2, "two;"), edit(3, "\u00b7;")])
      expect(await run(request)).toMatchObject({ success: true });
    const letter = Buffer.from(codec.encode("\u00b7", encoding));
    expect(on.bytes(path).includes(Buffer.concat([letter, Buffer.from("; // ")]))).toBe(true);
    const again = await on.workspace.read({ path });
    expect(again).toMatchObject({ state: { facts: { encoding, guessed: false } } });
  });

  it("counts for a whole write, too: all of it was read", async () => {
    const { run, on } = await opened(withComment(source, bytes));
    await run(edit(1, "one;", "gbk"));
    const read = await on.workspace.read({ path });
    if (read.kind !== "read") throw new Error(read.message);
    const content = `// 新\n${read.state.content}`;
    expect(await run({ kind: "write", path, content, base: read.state.sha256 })).toMatchObject({
      success: true,
    });
    expect(on.bytes(path).subarray(0, 6)).toEqual(Buffer.from(codec.encode("// 新\n", "gbk")));
  });
});

describe("UTF-8 but for a few bytes", () => {
  const damaged = Buffer.concat([
    Buffer.from("const a = “x”;\nint f1(void); // 日本 "),
    Buffer.from([0x99]),
    Buffer.from("\nint f2(void); // \ufffd "),
    Buffer.from([0xe4, 0xbd]),
    Buffer.from("\n"),
  ]);
  const asText = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

  it("is shown as it is, with U+FFFD for each of them", async () => {
    const { text, read } = await opened(damaged);
    expect(text).toBe("const a = “x”;\nint f1(void); // 日本 \ufffd\nint f2(void); // \ufffd \ufffd\ufffd\n");
    expect(read.state.facts).toMatchObject({ encoding: "utf-8", guessed: false, strays: 3 });
  });

  it("is what a long text with a byte of another charset is", async () => {
    const log = Buffer.concat([Buffer.from("a line of a log\n".repeat(17_000)), Buffer.from([0xe9, 10])]);
    const { on, run, text } = await opened(log.subarray(-200_000));
    expect(text.endsWith("\n\ufffd\n")).toBe(true);
    expect(await run({ kind: "append", path, content: "end\n" })).toMatchObject({ success: true });
    expect(on.bytes(path).equals(Buffer.concat([log.subarray(-200_000), Buffer.from("end\n")]))).toBe(true);
    expect(await run({ kind: "append", path, content: "é\n" })).toMatchObject({ code: "unencodable" });
    expect(await run({ kind: "append", path, content: "é\n", encoding: "utf-8" })).toMatchObject({
      success: true,
    });
  });

  const kept = async ({ request, after }: Door, strays: Uint8Array) => {
    const lines = source.replaceAll("COMMENT", "“日本” COMMENT");
    const { on, run, text, read } = await opened(withComment(lines, strays));
    expect(await run(request(text, read.state.sha256))).toMatchObject({ success: true });
    expect(on.bytes(path).equals(withComment(after(lines), strays))).toBe(true);
  };
  const plain = doors.filter(({ before }) => before === undefined);
  it.each(plain)("$name keeps them", (door) => kept(door, Uint8Array.of(0x99, 0x99)));

  const blind = [
    "edit_lines",
    "edit, with the comments in both texts",
    "edit that moves a line",
    "patch",
    "write",
  ];
  it.each(plain.filter(({ name }) => !blind.includes(name)))("$name tells them apart", (door) =>
    kept(door, Uint8Array.of(0x99, 0xe4, 0xbd)),
  );

  it("goes with a line that moves, and is refused where it may be another line", async () => {
    const [one, two] = ["a COMMENT 1\n", "b COMMENT 2\n"].map((line, at) =>
      withComment(line, Uint8Array.of([0x99, 0xe4][at] ?? 0)),
    );
    const [head, mid] = ["“日本”\n", "x\n"].map((line) => Buffer.from(line));
    const of = (...lines: (Buffer | undefined)[]) =>
      Buffer.concat(lines.filter((line) => line !== undefined));
    const { on, run, text, read } = await opened(of(head, one, mid, two));
    const write = (content: string): FileRequest => ({
      kind: "write",
      path,
      content,
      base: read.state.sha256,
    });
    const moved = text.replace(/(a.*)\n(x\n)(b.*)\n/, "$3\n$2$1\n");
    const changed = moved.replaceAll(/[12]/g, "3");
    expect(await run(write(changed))).toMatchObject({ code: "unencodable" });
    expect(await run(write(moved))).toMatchObject({ success: true });
    expect(on.bytes(path).equals(of(head, two, mid, one))).toBe(true);
  });

  it("has no byte put in the place of another by one edit over both", async () => {
    const { on, run } = await opened(damaged);
    const lines = "int f1(void); // 日本 \ufffd\nint f2(void); // \ufffd \ufffd\ufffd";
    const edit = { oldString: lines, newString: lines.split("\n").reverse().join("\n") };
    expect(await run({ kind: "edit", path, edits: [edit] })).toMatchObject({ code: "unencodable" });
    expect(on.bytes(path).equals(damaged)).toBe(true);
  });

  it("is not written where nobody can tell which byte a new U+FFFD is", async () => {
    const { on, run } = await opened(damaged);
    const edit = { oldString: "const a", newString: "// \ufffd\nconst a" };
    expect(await run({ kind: "edit", path, edits: [edit] })).toMatchObject({ code: "unencodable" });
    expect(on.bytes(path).equals(damaged)).toBe(true);
  });

  it("law: an edit keeps every byte that it does not name", async () => {
    const piece = fc.oneof(
      fc.constantFrom("日本", "“", "\ufffd", "\n", "a").map((text) => Buffer.from(text)),
      fc.constantFrom(0x80, 0x99, 0xe4, 0xff, 0xc3, 0xf0).map((byte) => Buffer.from([byte])),
    );
    const bytes = fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.concat(pieces));
    await fc.assert(
      fc.asyncProperty(bytes, bytes, fc.constantFrom("", "x", "\n日\n", "é"), async (head, tail, fresh) => {
        const valid = Buffer.from(`\n${"日本".repeat(20)}\n`);
        const [begin, end] = [Buffer.concat([head, valid]), Buffer.concat([valid, tail])];
        const { on, run } = await opened(Buffer.concat([begin, Buffer.from("OLD"), end]));
        const done = await run({ kind: "edit", path, edits: [{ oldString: "OLD", newString: fresh }] });
        expect(done).toMatchObject({ success: true });
        expect(asText(on.bytes(path))).toBe(asText(Buffer.concat([begin, Buffer.from(fresh), end])));
      }),
      { numRuns: 40 },
    );
  });

  it("with a mark keeps the mark", async () => {
    const marked = Buffer.concat([Buffer.from("\ufeff"), damaged]);
    const { on, run, read } = await opened(marked);
    expect(read.state.facts).toMatchObject({ bom: true, strays: 3 });
    await run({ kind: "edit", path, edits: [{ oldString: "const a", newString: "let a" }] });
    expect(asText(on.bytes(path))).toBe(asText(marked).replace("const a", "let a"));
  });
});
