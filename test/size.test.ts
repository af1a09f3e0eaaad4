import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const script = fileURLToPath(new URL("../scripts/size.mjs", import.meta.url));

it("npm run size fails above a ceiling and without one, and lowers ceilings but raises none", () => {
  const house = mkdtempSync(join(tmpdir(), "holdfast-size-"));
  onTestFinished(() => rmSync(house, { recursive: true, force: true }));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(house, path)), { recursive: true });
    writeFileSync(join(house, path), text);
  };
  const table = () => JSON.parse(readFileSync(join(house, "scripts/size.json"), "utf8"));
  const size = (...args: readonly string[]) => {
    const ran = spawnSync(process.execPath, [join(house, "scripts/size.mjs"), ...args], { encoding: "utf8" });
    return { status: ran.status, said: ran.stderr.trim() };
  };
  spawnSync("git", ["init", "--quiet", house]);
  cpSync(script, join(house, "scripts/size.mjs"));
  const ceilings = { "packages/core/src/text": 20, "packages/*/src": 20, "docs words": 3, scripts: 1_000 };
  put("scripts/size.json", JSON.stringify(ceilings));
  put("packages/core/src/text/lines.ts", "const one = 1;\n".repeat(20));
  put("docs/page.md", "three short words\n");
  expect(size()).toEqual({ status: 0, said: "" });

  put("packages/core/src/text/lines.ts", "const one = 1;\n".repeat(21));
  expect(size()).toEqual({
    status: 1,
    said: expect.stringContaining("packages/core/src/text (21, ceiling 20)"),
  });
  expect(size("--lower").status).toBe(1);
  expect(table()["packages/core/src/text"]).toBe(20);

  put("packages/core/src/text/lines.ts", "const one = 1;\n".repeat(19));
  put("packages/mcp/src/two.ts", "const two = 2;\n".repeat(2));
  expect(size().said).toContain("packages/*/src (21, ceiling 20)");

  rmSync(join(house, "packages/mcp"), { recursive: true });
  put("packages/core/src/text/lines.ts", "const one = 1;\n".repeat(4));
  put("packages/core/src/text/wide/width.ts", "const one = 1;\n".repeat(3));
  expect(size()).toEqual({ status: 1, said: expect.stringContaining("text/wide (3, ceiling none)") });
  expect(size("--lower").status).toBe(0);
  expect(table()).toMatchObject({ "packages/core/src/text": 10, "packages/core/src/text/wide": 3 });
  expect(table()["packages/*/src"]).toBe(20);
});
