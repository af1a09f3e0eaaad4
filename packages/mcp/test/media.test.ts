import { createHash } from "node:crypto";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { connect, makeGround } from "./server-process.js";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const pdf = Buffer.from("%PDF-1.4\n%\u00e2\u00e3\nx\n", "latin1");
const files = {
  "a.png": png,
  "named.txt": png,
  "b.pdf": pdf,
  "c.png": Buffer.from("\0no image"),
  "d.txt": "text\n",
};
const sha = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const claude = "claude-code";
const gemini = "gemini-cli-mcp-client-holdfast";
const codex = "codex-mcp-client";
const opencode = "opencode";
const qwen = "qwen-cli-mcp-client-holdfast";

async function read(client: string, path: string, options = {}) {
  const ground = await makeGround();
  for (const [name, content] of Object.entries(files)) await ground.put(name, content);
  const server = await connect("2025-11-25", ground, options, client);
  const { content, isError } = await server.client.callTool({
    name: "read_file",
    arguments: { file_path: path },
  });
  return { content, isError, root: ground.root };
}

test.each([
  [claude, "a.png"],
  [gemini, "a.png"],
  [codex, "a.png"],
  [opencode, "a.png"],
  [qwen, "a.png"],
  [claude, "named.txt"],
])("%s is sent the image %s as an image, by its bytes", async (client, path) => {
  const { content, isError } = await read(client, path);
  expect(isError).toBe(false);
  expect(content).toEqual([
    {
      type: "text",
      text: expect.stringContaining(
        `"${path}" follows as it is (image/png, ${png.length} bytes, sha256 ${sha(png)})`,
      ),
    },
    { type: "image", data: png.toString("base64"), mimeType: "image/png" },
  ]);
});

test("in the JSON form what it is stands in an object beside the image", async () => {
  const { content, isError } = await read(claude, "a.png", { wire: "json" });
  expect(isError).toBe(false);
  expect(content[1]).toEqual({ type: "image", data: png.toString("base64"), mimeType: "image/png" });
  const said: unknown = JSON.parse(content[0]?.type === "text" ? content[0].text : "");
  expect(said).toEqual({
    file_path: "a.png",
    sha256: sha(png),
    media: { mime_type: "image/png", size_bytes: png.length },
    message: expect.stringContaining("follows as it is"),
  });
});

test.each([gemini, opencode])("a PDF comes as a resource where %s hands it on", async (client) => {
  const { content, root } = await read(client, "b.pdf");
  const uri = pathToFileURL(join(root, "b.pdf")).href;
  expect(content[1]).toEqual({
    type: "resource",
    resource: { uri, mimeType: "application/pdf", blob: pdf.toString("base64") },
  });
});

test.each([
  [claude, "b.pdf", "a PDF document"],
  ["some-client", "a.png", "a PNG image"],
  ["copilot-cli", "a.png", "a PNG image"],
  [claude, "c.png", "binary data"],
])("%s is told of %s in a sentence: %s", async (client, path, kind) => {
  const { content } = await read(client, path);
  expect(content).toMatchObject([{ type: "text", text: expect.stringMatching(/^FAILED \(binary\)/) }]);
  expect(JSON.stringify(content)).toContain(`(${kind}, `);
});

test("an image gives no right to overwrite it, and a text stays one", async () => {
  const ground = await makeGround();
  await ground.put("a.png", png);
  await ground.put("d.txt", files["d.txt"]);
  const { client } = await connect("2025-11-25", ground, {}, claude);
  await client.callTool({ name: "read_file", arguments: { file_path: "a.png" } });
  const write = { file_path: "a.png", content: "x", base_content_sha256: sha(png) };
  const { content } = await client.callTool({ name: "write_file", arguments: write });
  expect(JSON.stringify(content)).toContain("FAILED (");
  const text = await client.callTool({ name: "read_file", arguments: { file_path: "d.txt" } });
  expect(text.content).toHaveLength(1);
});
