import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { systemClipboard } from "../../src/terminal/clipboard.js";

const path = process.env.PATH;
afterEach(() => {
  process.env.PATH = path;
});

/** A PATH in which `xclip` prints these bytes, and nothing else is. */
function withXclip(bytes: Uint8Array): void {
  const folder = mkdtempSync(join(tmpdir(), "clipboard-"));
  writeFileSync(join(folder, "image"), bytes);
  writeFileSync(join(folder, "xclip"), `#!/bin/sh\nexec /bin/cat '${join(folder, "image")}'\n`);
  chmodSync(join(folder, "xclip"), 0o755);
  process.env.PATH = folder;
}

const png = Buffer.from("89504e470d0a1a0a", "hex");
const others = { servers: ["docs"], read: async () => ({ kind: "resource", parts: [] }) as const };

it("takes the image of the clipboard as a resource that a prompt names", async () => {
  withXclip(png);
  const clipboard = systemClipboard();
  expect([await clipboard.take(), await clipboard.take()]).toEqual(["@clipboard:1", "@clipboard:2"]);
  const { servers, read } = clipboard.within(others);
  expect(servers).toEqual(["docs", "clipboard"]);
  expect(await read("clipboard", "1")).toMatchObject({
    parts: [{ media: { mimeType: "image/png", data: png.toString("base64") } }],
  });
  expect(await read("clipboard", "3")).toMatchObject({ code: "not_found" });
  expect(await read("docs", "1")).toMatchObject({ parts: [] });
});

it("says so where there is no image, or no tool", async () => {
  withXclip(Buffer.from("words"));
  expect(await systemClipboard().take()).toMatchObject({ code: "not_found" });
  process.env.PATH = tmpdir();
  expect(await systemClipboard().take()).toMatchObject({ code: "not_found" });
});
