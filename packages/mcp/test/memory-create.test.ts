import { expect, test } from "vitest";
import { connect, makeGround } from "./server-process.js";

const create = { command: "create", path: "/memories/a.md", file_text: "mine\n" };

test.each([
  ["memory", create],
  ["write_file", { file_path: "memories/a.md", content: "mine\n", base_content_sha256: sha256OfNothing() }],
] as const)("%s over a file that nobody read does not say that it was read before", async (name, args) => {
  const ground = await makeGround();
  await ground.put("memories/a.md", "of somebody else\n");
  const options = { wire: "json", tools: ["memory", "write_file"] } as const;
  const { call } = await connect("2025-11-25", ground, options);
  const { text } = await call(name, args);
  expect(text).toContain('"code":"state_mismatch"');
  expect(text).toContain("There is a file of this name already");
  expect(text).not.toContain("since it was last read");
});

function sha256OfNothing(): string {
  return "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
}
