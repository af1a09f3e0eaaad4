import { emptySha256 } from "@holdfast/core/files/values";
import { expect, it } from "vitest";
import { ground } from "../support.js";

const settings = [
  "root = true",
  "[*]",
  "end_of_line = lf",
  "[*.{bat,cmd}]",
  "end_of_line = crlf ",
  "; a remark",
  "[old/**.txt]",
  "charset = latin1",
  "[*.csv]",
  "charset = utf-8-bom",
  "[*.reg]",
  "charset=utf-16le",
].join("\n");

async function project() {
  return ground({
    ".editorconfig": settings,
    "sub/.editorconfig": "[*.bat]\nEnd_Of_Line = LF\n",
    "old/x": "",
  });
}

it.each([
  ["run.bat", "a\nb\n", "a\r\nb\r\n", "latin1"],
  ["made/new/run.cmd", "a\nb", "a\r\nb", "latin1"],
  ["mixed.bat", "a\r\nb\n", "a\r\nb\n", "latin1"],
  ["sub/run.bat", "a\nb\n", "a\nb\n", "latin1"],
  ["a.ts", "a\nb\n", "a\nb\n", "latin1"],
  ["old/deep/ü.txt", "ü\n", "ü\n", "latin1"],
  ["x.csv", "ü\n", "\uFEFFü\n", "utf8"],
  ["x.reg", "ü\n", "\uFEFFü\n", "utf16le"],
] as const)(
  "a new %s is made as .editorconfig says, and the same call is known again",
  async (path, content, bytes, as) => {
    const on = await project();
    const call = { path, content, base: emptySha256 };
    expect(await on.workspace.write(call)).toMatchObject({ success: true, code: "applied" });
    expect(on.bytes(path).toString(as)).toBe(bytes);
    expect(await on.workspace.write(call)).toMatchObject({ success: true, code: "already_applied" });
  },
);

it("what the charset cannot hold is refused, and what the caller names counts first", async () => {
  const on = await project();
  const refused = await on.workspace.write({ path: "old/a.txt", content: "Ω\n" });
  expect(refused).toMatchObject({ success: false, code: "unencodable" });
  const named = await on.workspace.write({ path: "old/a.txt", content: "Ω\n", encoding: "utf-8" });
  expect(named).toMatchObject({ success: true });
  expect(on.bytes("old/a.txt").toString("utf8")).toBe("Ω\n");
});
