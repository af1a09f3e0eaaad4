import { createHash, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { renderContext, toAnthropic } from "../../src/context/index.js";
import { ContextManager } from "../../src/conversation/index.js";
import { timeSortedIds } from "../../src/conversation/values/index.js";
import { isRefusal } from "../../src/files/values/index.js";
import { carryOut, type TurnHost } from "../../src/tools/index.js";
import { resultSchemas } from "../../src/tools/wire/answers.js";
import { makeGround } from "./ground.js";

const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const pdf = Buffer.from("%PDF-1.4\n%\u00e2\u00e3\n\0x\n", "latin1");
const files = {
  "a.png": png,
  "no-name": png,
  "b.pdf": pdf,
  "c.png": Buffer.from("\0no image"),
  "photo.png": Buffer.concat([png, Buffer.alloc(400_000)]),
  "large.png": Buffer.concat([png, Buffer.alloc(3 * 1024 * 1024)]),
};

/** What stands in the tree after the model read the file, and what its next prompt holds. */
async function read(path: string, host: Partial<TurnHost> = {}) {
  const { workspace } = await makeGround(files);
  const manager = new ContextManager({ ids: timeSortedIds(Date.now, randomBytes), now: Date.now });
  manager.commitStagedItems("Look.");
  manager.addNode({ kind: "tool_call", callId: "c", name: "read_file", args: { file_path: path } });
  const carried = await carryOut({ callId: "c" }, { manager, workspace, ...host });
  if (isRefusal(carried) || carried.kind !== "answered") throw new Error("no result was recorded");
  const { payload } = carried.node;
  if (payload.kind !== "tool_result") throw new Error("no result");
  const { contents, visibility } = renderContext(manager.context);
  return { payload, contents, visibility, code: carried.code };
}

describe("a read of an image or a PDF in a conversation", () => {
  it.each([
    ["a.png", "image/png", png],
    ["no-name", "image/png", png],
    ["b.pdf", "application/pdf", pdf],
    ["photo.png", "image/png", files["photo.png"]],
  ])("has it as media of the result: %s", async (path, mimeType, bytes) => {
    const { payload, contents, visibility, code } = await read(path);
    expect(code).toBe("ok");
    expect(payload).toMatchObject({
      output: expect.stringContaining(`OK (ok): "${path}" follows as it is (${mimeType}, `),
      media: [{ mimeType, data: bytes.toString("base64") }],
      files: [{ path, after: sha(bytes), by: "seen" }],
    });
    expect(payload.isError).toBeUndefined();
    expect(payload.shows).toBeUndefined();
    expect(visibility.states()).toEqual([]);
    expect(JSON.stringify(toAnthropic(contents).body)).toContain(bytes.toString("base64"));
  });

  it.each([
    ["c.png", {}],
    ["large.png", {}],
    ["b.pdf", { media: ["image"] }],
    ["a.png", { media: [] }],
  ] as const)("is refused as no text where it cannot be shown: %s %o", async (path, host) => {
    const { payload, code } = await read(path, host);
    expect(code).toBe(path === "large.png" ? "too_large" : "binary");
    expect(payload).toMatchObject({ isError: true, output: expect.stringContaining(`FAILED (${code}): `) });
    expect(payload.media).toBeUndefined();
  });

  it("says what it is in JSON, by its schema", async () => {
    const { payload } = await read("a.png", { wire: "json" });
    const said: unknown = JSON.parse(payload.output);
    expect(resultSchemas.read_file.parse(said)).toEqual(said);
    expect(said).toMatchObject({
      sha256: sha(png),
      media: { mime_type: "image/png", size_bytes: png.length },
    });
    expect(payload.media).toHaveLength(1);
  });
});
