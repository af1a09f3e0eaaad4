import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderContext } from "../../src/context/index.js";
import { exportLines, readExport } from "../../src/conversation/import/index.js";
import { ContextManager, refreshTrackedFiles } from "../../src/conversation/index.js";
import { type FileContent, fileContentOf, type JournalRecord } from "../../src/conversation/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { ground } from "../support.js";
import { codeOf, countedIds, must, steadyClock } from "./support.js";

const digest = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest("hex");

function proving(): ContextManager {
  return new ContextManager({ ids: countedIds(), now: steadyClock(), digest });
}

function whole(text: string, rest: Partial<FileContent> = {}): FileContent {
  const total = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const lines = { from: 1, to: total, total };
  return {
    kind: "file_content",
    path: "a",
    version: 1,
    sha256: digest(text),
    lines,
    text,
    form: "whole",
    ...rest,
  };
}

/** How many lines of the state count as shown once it is in the prompt. */
function shown(manager: ContextManager, { path, sha256 }: { path: string; sha256: string }): number {
  const state = renderContext(manager.context).visibility.state(path, sha256);
  return (state?.lines ?? []).reduce((sum, { from, to }) => sum + to - from + 1, 0);
}

describe("the text of a file", () => {
  it.each([
    ["UTF-8", whole("one\ntwo\n"), 2],
    ["with a byte order mark", whole("one\n", { sha256: digest("\ufeffone\n") }), 1],
  ])("that hashes to the state proves itself: %s", (_, payload, lines) => {
    const manager = proving();
    expect(must(manager.addNode(payload)).payload).toEqual({ ...payload, verified: true });
    expect(shown(manager, payload)).toBe(lines);
    const { visibility } = renderContext(manager.context);
    expect(visibility.isVisible({ ...payload, from: 1, to: 0 })).toBe(true);
  });

  it.each([["a window", whole("two\n", { lines: { from: 2, to: 2, total: 3 }, form: "window" })]])(
    "that cannot be proved is kept and shown, and counts for nothing: %s",
    (_, payload) => {
      const manager = proving();
      expect(must(manager.addNode(payload)).payload).toEqual(payload);
      expect(JSON.stringify(renderContext(manager.context).contents)).toContain("end=");
      expect(renderContext(manager.context).visibility.states()).toEqual([]);
    },
  );

  it.each([
    ["more lines than the text has", whole("one\n", { lines: { from: 1, to: 2, total: 2 } })],
    ["a whole that is none", whole("one\n", { lines: { from: 1, to: 1, total: 2 } })],
    ["lines behind the end", whole("one\n", { lines: { from: 3, to: 3, total: 2 }, form: "window" })],
    ["another text than the state's", whole("one\ntwo\n", { sha256: digest("other") })],
    ["bytes of another encoding", whole("é\n", { sha256: digest(Buffer.from("é\n", "latin1")) })],
    ["a text that is no UTF-8", whole("\ud800\n", { sha256: digest("x") })],
    ["a proof that nobody made", whole("two\n", { sha256: digest("x"), verified: true })],
  ])("is refused where it contradicts itself, or its hash: %s", (_, payload) => {
    const manager = proving();
    const before = manager.context;
    expect(codeOf(manager.addNode(payload))).toBe("invalid_payload");
    expect(codeOf(manager.addToStagingArea(payload))).toBe("invalid_payload");
    expect(manager.context).toBe(before);
  });
});

describe("what a read found", () => {
  it("is known, whole, in part and in any encoding, also when the session is opened again", async () => {
    const { workspace, put } = await ground({ "a.ts": "one\ntwo\nthree\n", "b.ts": "x\n" });
    put("b.ts", Buffer.from("d\xe9j\xe0 vu, caf\xe9 cr\xe8me\n", "latin1"));
    const manager = new ContextManager({ ids: countedIds(), now: steadyClock() });
    const cases = [
      [{ path: "a.ts", offset: 2, limit: 1 }, 1],
      [{ path: "a.ts" }, 3],
      [{ path: "b.ts", encoding: "windows-1252" }, 1],
    ] as const;
    for (const [request, lines] of cases) {
      const read = await workspace.read(request);
      if (read.kind !== "read") throw new Error(read.message);
      const node = must(manager.addNode(fileContentOf(read)));
      expect(node.payload).toMatchObject({ verified: true });
      expect(shown(manager, read.state)).toBe(lines);
    }
  });

  it("fits every text that can be read, in whole and in windows", async () => {
    const { workspace, put } = await ground({ "a.ts": "" });
    const text = fc.array(fc.constantFrom("a", "\r", "\n", "\r\n", "é"), { maxLength: 12 });
    const law = fc.asyncProperty(
      text,
      fc.nat(4),
      fc.integer({ min: 1, max: 4 }),
      async (parts, from, limit) => {
        put("a.ts", parts.join(""));
        for (const request of [{ path: "a.ts" }, { path: "a.ts", offset: from + 1, limit }]) {
          const read = await workspace.read(request);
          if (read.kind !== "read") continue;
          const { verified: _, ...claimed } = fileContentOf(read);
          // A copy is no read of ours: it has to stand by itself.
          expect(codeOf(proving().addNode(claimed))).toBe("done");
          if (request.offset === undefined && !parts.join("").includes("\ufeff"))
            expect(must(proving().addNode(claimed)).payload).toMatchObject({ verified: true });
        }
      },
    );
    await fc.assert(law, { numRuns: 20 });
  });

  it("is what a tracked file shows", async () => {
    const { workspace } = await ground({ "a.ts": "one\n" });
    const manager = new ContextManager({ ids: countedIds(), now: steadyClock() });
    must(manager.trackFile("./a.ts"));
    must(await refreshTrackedFiles({ manager, read: (request) => workspace.read(request), into: "branch" }));
    expect(manager.getCurrentNode().payload).toMatchObject({
      path: "./a.ts",
      verified: true,
      form: "tracked",
    });
  });
});

describe("an imported session", () => {
  const claims = [
    whole("one\n", { verified: true }),
    whole("two\n", { sha256: digest("other"), verified: true }),
    whole("mid\n", { lines: { from: 2, to: 2, total: 3 }, form: "window", verified: true }),
  ];

  it.each([
    ["with a digest", digest, [true, undefined, undefined]],
    ["without", undefined, [undefined, undefined, undefined]],
  ])("is believed only where hash and text agree, %s", (_, hash, verified) => {
    const options = {
      from: "x",
      newId: countedIds(),
      now: 1,
      ...(hash === undefined ? {} : { digest: hash }),
    };
    const read = readExport([...exportLines("s", recordsOf(claims))].join(""), options);
    if (isRefusal(read)) throw new Error(read.message);
    const payloads = read.events.flatMap(({ event }) =>
      event.type === "nodes_added" ? event.nodes.map((node) => node.payload) : [],
    );
    expect(payloads.map((one) => one.kind === "file_content" && one.verified)).toEqual(verified);
  });
});

function recordsOf(payloads: readonly FileContent[]): readonly JournalRecord[] {
  const payload = { kind: "task_boundary", name: "", transformation: { kind: "clear" } } as const;
  const root = { id: "s", parentId: null, timestamp: 1, payload };
  const nodes = payloads.map((one, at) => ({
    id: `n${at}`,
    parentId: at === 0 ? "s" : `n${at - 1}`,
    timestamp: 1,
    payload: one,
  }));
  return [
    { v: 1, seq: 1, ts: 1, event: { type: "session_started", sessionId: "s", root } },
    { v: 1, seq: 2, ts: 1, event: { type: "nodes_added", nodes, head: "n2" } },
  ];
}
