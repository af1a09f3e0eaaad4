import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const house = fileURLToPath(new URL("../../../", import.meta.url));
const page = readFileSync(`${house}docs/adapters.md`, "utf8");
const blocks = [...page.matchAll(/^```js\n\/\/ (\S+)\n([\s\S]*?)^```/gm)];

it("shows in docs/adapters.md what stands in the examples that CI runs", () => {
  expect(blocks.length).toBe(12);
  for (const [, file = "", code = ""] of blocks) {
    expect(readFileSync(`${house}${file}`, "utf8")).toContain(code);
  }
});
