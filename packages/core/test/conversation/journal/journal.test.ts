import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ReadJournal, readJournal } from "../../../src/conversation/journal/index.js";
import { crc32, encodeRecord, readLine } from "../../../src/conversation/journal/journal-codec.js";
import { outOfLineBytes } from "../../../src/conversation/journal/media.js";
import { type JournalRecord, journalVersion, versionOf } from "../../../src/conversation/values/index.js";
import { awkwardEvents, longLife, message, started } from "./store-events.js";

/** Large texts, as a store keeps them. */
class Shelf {
  readonly blobs = new Map<string, Uint8Array>();
  readonly put = (bytes: Uint8Array): string => {
    const name = createHash("sha256").update(bytes).digest("hex");
    this.blobs.set(name, bytes);
    return name;
  };
  readonly read = (name: string) => this.blobs.get(name);
}

const page = readFileSync(new URL("../../../../../docs/journal.md", import.meta.url), "utf8");

const noBlobs = (): string => {
  throw new Error("nothing here is that large");
};

function recordsOf(events: ReturnType<typeof longLife>): readonly JournalRecord[] {
  return events.map(({ ts, event }, at) => ({ v: 1, seq: at + 1, ts, event }));
}

function linesOf(records: readonly JournalRecord[], put = noBlobs as Shelf["put"]): readonly Uint8Array[] {
  return records.map((record) => encodeRecord(record, put));
}

function read(bytes: Uint8Array, shelf = new Shelf()): ReadJournal {
  return readJournal(bytes, shelf.read);
}

/** Any JSON as a line with the right check, as a newer release would write it. */
function sealed(json: object): Buffer {
  const body = JSON.stringify(json).slice(0, -1);
  const check = crc32(Buffer.from(body)).toString(16).padStart(8, "0");
  return Buffer.from(`${body},"crc":"${check}"}\n`);
}

function said(journal: ReadJournal): readonly string[] {
  return journal.problems.map(({ line, what }) => `${line} ${what}`);
}

const life = recordsOf(longLife("s-1", 60));

describe("the check", () => {
  it("is that of zlib over any bytes, from anywhere to anywhere", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(20), (bytes, from) => {
        expect(crc32(bytes, from, Math.max(from, bytes.length))).toBe(zlibCrc32(bytes.subarray(from)));
      }),
    );
  });
});

describe("a line", () => {
  it("is the one of docs/journal.md", () => {
    const event = { type: "renamed", title: "Größe" } as const;
    const line = Buffer.from(encodeRecord({ seq: 2, ts: 1_760_000_000_000, event }, noBlobs)).toString();
    const [, example] = /^(\{"v":1,.*"title":"Größe".*\})$/m.exec(page) ?? [];
    expect(line).toBe(`${example}
`);
    // The page tells how the check is made, and gives the number.
    const body = line.slice(0, line.indexOf(',"crc"'));
    expect(page).toContain(`\`${zlibCrc32(Buffer.from(body)).toString(16)}\``);
  });

  it("holds no raw line break, and is JSON that says the same without us", () => {
    for (const { ts, event } of Object.values(awkwardEvents())) {
      const shelf = new Shelf();
      const line = Buffer.from(encodeRecord({ seq: 7, ts, event }, shelf.put));
      expect(line.indexOf("\n")).toBe(line.length - 1);
      const { v, seq, ts: when, type, crc } = JSON.parse(line.toString());
      expect([v, seq, when, type]).toEqual([versionOf(event), 7, ts, event.type]);
      expect(crc).toMatch(/^[0-9a-f]{8}$/);
    }
  });

  it("gives back any text, whole and to the letter", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.nat(80), (unit, times) => {
        const shelf = new Shelf();
        const { ts, event } = message("m-1", "s-1", unit.repeat(times));
        const record = { v: 1, seq: 1, ts, event };
        expect(read(encodeRecord(record, shelf.put), shelf).records).toEqual([record]);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ["just below", "x".repeat(outOfLineBytes - 1), 0],
    ["just at", "x".repeat(outOfLineBytes), 1],
    ["by its bytes, not its letters", "é".repeat(outOfLineBytes / 2), 1],
    ["with lone surrogates, in its line all the same", "\ud800".repeat(outOfLineBytes), 0],
  ])("keeps a text %s the limit of 16 KiB", (_, text, count) => {
    const shelf = new Shelf();
    const { ts, event } = message("m-1", "s-1", text);
    const line = encodeRecord({ seq: 1, ts, event }, shelf.put);
    expect(shelf.blobs.size).toBe(count);
    expect(read(line, shelf).records[0]?.event).toEqual(event);
  });

  it("takes nothing that a user wrote for a reference", () => {
    const hash = "a".repeat(64);
    const args = { blobs: { "/nodes/0/payload/args/text": hash }, text: "", blob: hash, crc: "00000000" };
    const payload = { kind: "tool_call", callId: "c", name: "t", args } as const;
    const nodes = [{ id: "n", parentId: "s-1", timestamp: 1, payload }];
    const event = { type: "nodes_added", nodes, head: "n" } as const;
    const journal = read(encodeRecord({ seq: 1, ts: 1, event }, noBlobs));
    expect(journal.records[0]?.event).toEqual(event);
    expect(journal.problems).toEqual([]);
  });

  it("whose check is right and whose event is not one is damaged", () => {
    const shapes: readonly object[] = [
      { v: 1, seq: 1, ts: 1, type: "renamed" },
      { v: 1, seq: 1, ts: 1, type: "renamed", title: 5 },
      { v: 1, seq: 0, ts: 1, type: "renamed", title: "t" },
      { seq: 1, ts: 1, type: "renamed", title: "t" },
      { v: 1, seq: 1, ts: 1, title: "t" },
      { v: 1, seq: 1, ts: 1, type: "nodes_added", nodes: [{ id: "n" }], head: "n" },
      { v: 1, seq: 1, ts: 1, type: "staged", id: "i", timestamp: 1, payload: { kind: "note", text: "t" } },
      { v: 1, seq: 1, ts: 1, type: "renamed", title: "", blobs: { "/title": "no hash" } },
      { v: 1, seq: 1, ts: 1, type: "renamed", title: "t", blobs: { "/title": "a".repeat(64) } },
      { v: 1, seq: 1, ts: 1, type: "renamed", title: "", blobs: { "/a/b/c": "a".repeat(64) } },
    ];
    for (const shape of shapes) expect(said(read(sealed(shape)))).toEqual(["1 damaged_line"]);
  });
});

describe("a record", () => {
  const reform = awkwardEvents()["a change of many forms"];
  const versions = (bytes: Uint8Array) => /^\{"v":(\d+),/.exec(Buffer.from(bytes).toString())?.[1];

  it("bears the lowest version whose readers understand it", () => {
    if (reform === undefined) throw new Error("there is such an event");
    const shelf = new Shelf();
    const lines = linesOf([...life.slice(0, 5), { v: 2, seq: 6, ...reform }], shelf.put);
    expect(lines.map(versions)).toEqual(["1", "1", "1", "1", "1", "2"]);
    const { records, problems } = read(Buffer.concat(lines), shelf);
    expect(problems).toEqual([]);
    expect(records.map(({ v }) => v)).toEqual([1, 1, 1, 1, 1, 2]);
    expect(records[5]?.event).toEqual(reform.event);
  });
});

describe("what a newer release wrote", () => {
  it("is told apart by its version and by its event", () => {
    const journal = read(
      Buffer.concat([
        ...linesOf(life.slice(0, 2)),
        sealed({ v: 1, seq: 3, ts: 1, type: "teleported", to: "moon" }),
        sealed({ v: journalVersion + 1, seq: 4, ts: 1, type: "renamed", title: "t" }),
      ]),
    );
    expect(said(journal)).toEqual(["3 unknown_event", "4 newer_version"]);
    expect(journal.records).toEqual(life.slice(0, 2));
    expect(journal.nextSeq).toBe(5);
  });

  it("keeps payloads that are not known, and fields that are not, as they came", () => {
    const payload = { kind: "hologram", depth: [1, { kind: "x" }], text: "t", "": null };
    const nodes = [{ id: "n", parentId: "s-1", timestamp: 1, payload, mood: "blue" }];
    const line = sealed({ v: 1, seq: 1, ts: 1, type: "nodes_added", nodes, head: "n", later: true });
    const [record] = read(line).records;
    if (record?.event.type !== "nodes_added") throw new Error("nothing was read");
    const { kind, ...data } = payload;
    expect(record.event.nodes[0]?.payload).toEqual({ kind: "unknown", type: kind, data });
    expect(Buffer.from(encodeRecord(record, noBlobs)).equals(line)).toBe(true);
  });
});

describe("a damaged journal", () => {
  const lines = linesOf(life);
  const whole = Buffer.concat(lines);
  const ends = lines.map((_, at) => Buffer.concat(lines.slice(0, at + 1)).length);

  /** The 0-based line in which a byte stands, its line break included. */
  function lineAt(offset: number): number {
    return ends.findIndex((end) => end > offset);
  }

  /** `npm run proof -- store` does this at every byte. */
  const stride = process.env.HOLDFAST_SWEEP === "all" ? 1 : 41;
  it.each([1, 128, 255])("with a byte of its last 4 KiB changed by %i loses that line at most", (mask) => {
    for (let at = whole.length - 4_096; at < whole.length; at += stride)
      expectLoss(at, (whole[at] ?? 0) ^ mask);
  });

  it.each([0x0a, 0x00, 0x7d])("with a byte of its last 4 KiB made %i loses that line at most", (byte) => {
    for (let at = whole.length - 4_096; at < whole.length; at += stride)
      if (whole[at] !== byte) expectLoss(at, byte);
  });

  function expectLoss(at: number, byte: number): void {
    const bytes = Buffer.from(whole);
    bytes[at] = byte;
    const journal = read(bytes);
    const line = lineAt(at);
    const others = life.filter(({ seq }) => seq !== line + 1);
    const kept = journal.records.length === life.length ? life : others;
    const same = JSON.stringify(journal.records) === JSON.stringify(kept);
    const torn = journal.wholeBytes < bytes.length || !journal.terminated;
    const told = torn ? line === lines.length - 1 : journal.problems.some((one) => one.line === line + 1);
    // One assertion for thousands of bytes.
    if (!same || !told || journal.nextSeq < life.length)
      expect.fail(`byte ${at} of line ${line + 1} made ${byte}: ${JSON.stringify(journal.problems)}`);
  }

  it("cut anywhere in its last 4 KiB keeps all records before, and knows its torn tail", () => {
    for (let size = whole.length - 4_096; size < whole.length; size += stride) {
      const journal = read(whole.subarray(0, size));
      const line = lineAt(size);
      // Only its line break is gone: the record is whole.
      const start = lines.slice(0, line).reduce((sum, { length }) => sum + length, 0);
      const unended = size === start + (lines[line]?.length ?? 0) - 1;
      expect(journal.records.length).toBe(unended ? line + 1 : line);
      expect(journal.problems).toEqual([]);
      expect(journal.terminated).toBe(!unended);
      expect(journal.wholeBytes).toBe(unended ? size : start);
    }
  });

  it("whose tail is NUL, as some disks leave it after a power cut, is whole before it", () => {
    for (const tail of [
      Buffer.alloc(1),
      Buffer.alloc(5_000),
      Buffer.concat([whole.subarray(0, 40), Buffer.alloc(99)]),
    ]) {
      const journal = read(Buffer.concat([whole, tail]));
      expect(journal.records.length).toBe(life.length);
      expect([journal.wholeBytes, journal.terminated]).toEqual([whole.length, true]);
    }
  });

  it("in which a record was written behind half a line loses the half only", () => {
    const [first, second, third] = lines as [Uint8Array, Uint8Array, Uint8Array];
    const journal = read(Buffer.concat([first, second.subarray(0, 30), third]));
    expect(journal.records).toEqual([life[0], life[2]]);
    expect(said(journal)).toEqual(["2 damaged_line"]);
  });

  it.each([
    ["a return", "\r"],
    ["nothing", ""],
  ])("in which %s stands for every line break holds all its records", (_name, between) => {
    const joined = Buffer.from(whole.toString("latin1").trimEnd().replaceAll("\n", between), "latin1");
    const ended = read(Buffer.concat([joined, Buffer.from("\n")]));
    expect(ended.records).toEqual(life);
    expect(new Set(said(ended))).toEqual(new Set(["1 damaged_line"]));
    const unended = read(joined);
    expect(unended.records).toEqual(life);
    expect([unended.wholeBytes, unended.terminated, unended.nextSeq]).toEqual([
      joined.length,
      false,
      life.length + 1,
    ]);
  });

  it("of many records in one line, or in the wrong order, is read without hanging", () => {
    const many = recordsOf(longLife("s-1", 2_000));
    const some = linesOf(many);
    const joined = Buffer.from(Buffer.concat(some).toString("latin1").replaceAll("\n", "\r"), "latin1");
    joined[joined.length - 1] = 0x0a;
    expect(read(joined).records.length).toBe(many.length);
    expect(read(Buffer.concat(some.toReversed())).records.length).toBe(many.length);
  });

  it("without some of its lines says how many are missing", () => {
    const journal = read(Buffer.concat([...lines.slice(0, 3), ...lines.slice(5, 8), ...lines.slice(9)]));
    expect(said(journal)).toEqual(["4 missing_record", "7 missing_record"]);
    expect(journal.problems[0]?.message).toContain("2 records are missing before record 6");
    expect(journal.nextSeq).toBe(life.length + 1);
  });

  it("with a record twice keeps the first, and another of its number behind it; out of order puts them in order", () => {
    const [first, second, third] = life.slice(0, 3) as [JournalRecord, JournalRecord, JournalRecord];
    const other = { ...second, event: { type: "renamed", title: "the second of its number" } as const };
    const journal = read(Buffer.concat(linesOf([first, second, other, third])));
    expect(journal.records).toEqual([first, second, other, third]);
    expect(said(journal)).toEqual(["3 second_record"]);
    const again = read(Buffer.concat(linesOf([first, second, second, third])));
    expect(again.records).toEqual([first, second, third]);
    expect(said(again)).toEqual(["3 doubled_line"]);
    const disordered = read(Buffer.concat(linesOf([first, third, second])));
    expect(disordered.records).toEqual([first, second, third]);
    expect(said(disordered)).toEqual(["2 missing_record", "3 damaged_line"]);
  });

  it("of any bytes is read without an exception, and never wrongly", () => {
    const pieces = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.nat(life.length - 1).map((at) => lines[at] ?? new Uint8Array()),
      fc
        .tuple(fc.nat(life.length - 1), fc.nat(300))
        .map(([at, to]) => (lines[at] ?? new Uint8Array()).subarray(0, to)),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const { records } = read(Buffer.concat(parts));
        for (const record of records) expect(record).toEqual(life[record.seq - 1]);
        expect(records.map(({ seq }) => seq)).toEqual(
          [...new Set(records.map(({ seq }) => seq))].sort((a, b) => a - b),
        );
      }),
    );
  });
});

describe("a text whose blob is gone", () => {
  const large = "line\n".repeat(5_000);
  const shows = [{ path: "a", sha256: "a".repeat(64), from: 1, to: 2, start: 0, end: 10 }];

  function without(payload: object): unknown {
    const shelf = new Shelf();
    // The payloads below are such.
    const nodes = [{ id: "n", parentId: "s-1", timestamp: 1, payload }] as never;
    const line = encodeRecord({ seq: 1, ts: 1, event: { type: "nodes_added", nodes, head: "n" } }, shelf.put);
    shelf.blobs.clear();
    const journal = read(line, shelf);
    expect(said(journal)).toEqual(["1 missing_blob"]);
    const [record] = journal.records;
    return record?.event.type === "nodes_added" ? record.event.nodes[0]?.payload : undefined;
  }

  const word = expect.stringMatching(/^\[This text is lost/);
  it("is a word about it, and what was told about the text is gone, too", () => {
    const result = { kind: "tool_result", callId: "c", name: "t", output: large, shows };
    expect(without(result)).toEqual({ kind: "tool_result", callId: "c", name: "t", output: word });
    const thought = { kind: "model_message", text: "t", thought: large, signature: "s" };
    expect(without(thought)).toEqual({ kind: "model_message", text: "t" });
    const media = [
      { mimeType: "image/png", data: "a".repeat(40_001) },
      { mimeType: "image/png", data: "b" },
    ];
    expect(without({ kind: "user_message", text: "t", media })).toEqual({
      kind: "user_message",
      text: "t",
      media: [media[1]],
    });
    expect(without({ kind: "user_message", text: large })).toEqual({ kind: "user_message", text: word });
  });
});

describe("a large journal", () => {
  it("is read piece by piece, lines longer than a piece among them", () => {
    const long = recordsOf([
      started("s-1"),
      ...Array.from({ length: 100 }, (_, at) =>
        message(`m-${at}`, "s-1", `${at % 7 === 0 ? "ü€" : "u"} ${"\ud800".repeat(at * 20)}`),
      ),
      message("last", "s-1", "\ud800".repeat(200_000)),
    ]);
    const journal = read(Buffer.concat(linesOf(long)));
    expect(journal.problems).toEqual([]);
    expect(JSON.stringify(journal.records)).toBe(JSON.stringify(long));
  });
});

describe("a sealed line with a time that JSON cannot write", () => {
  it("is damaged: written again it could not be read", () => {
    const root = '{"id":"s1","parentId":null,"timestamp":1,"payload":{"kind":"user_message","text":"x"}}';
    const event = `"type":"nodes_added","nodes":[${root}],"head":"s1"`;
    const usual = `{"v":1,"seq":2,"ts":1,${event},"crc":"00000000"}`;
    expect(readLine(usual, () => undefined).kind).toBe("record");
    for (const ts of ["1e999", "-1e999"])
      for (const start of [`{"v":1,"seq":2,"ts":${ts},`, `{"seq":2,"v":1,"ts":${ts},`])
        expect(readLine(`${start}${event},"crc":"00000000"}`, () => undefined).kind).toBe("damaged");
  });
});
