import { describe, expect, test } from "vitest";
import { parseEnvelope, renderResult } from "../../../src/tools/index.js";
import { numbered, openSession, openTalk, sha } from "../../reproductions/scene.js";
import { refusedOf, reportOf, stateOf } from "./states.js";

/** What is sent where somebody else changed a file: what changed, before the content; alone, where that is enough. */
const base = numbered(30);
const theirs = base.replace("line 7\n", "line seven\n").replace("line 20\n", "");
const stale = (text: string) => ({ file_path: "f", content: "mine\n", base_content_sha256: sha(text) });
const whole = ["write_file", stale(theirs)] as const;

describe("a session that was shown the base", () => {
  test("is sent the change alone", async () => {
    const session = openSession({ files: { f: base } });
    await session.call("read_file", { file_path: "f" });
    session.put("f", theirs);
    const { text } = await session.call("write_file", stale(base));
    const lines = text.split("\n");
    expect(lines[0]).toMatch(/^FAILED \(state_mismatch\): State Mismatch: File has changed/);
    expect(lines[1]).toBe("What changed since your base:");
    expect(text).toContain("\n-line 7\n+line seven\n");
    expect(text).not.toContain("line 12");
    expect(text).toContain(
      "The other lines are as you know them; read them with read_file if you have them no longer",
    );
    const envelope = parseEnvelope(text);
    expect(envelope?.change).toContain("-line 20");
    expect(envelope?.files).toMatchObject([{ path: "f", sha256: sha(theirs), content: null }]);
  });

  test("knows all of the new state by that, and may replace it", async () => {
    for (const [before, after] of [
      [base, theirs],
      [base.replaceAll("\n", "\r\n"), theirs.replaceAll("\n", "\r\n")],
      [base, `${base}no newline at the end`],
      [base, base.replace("line 1\n", "\n")],
    ] as const) {
      const session = openSession({ files: { f: before } });
      await session.call("read_file", { file_path: "f" });
      session.put("f", after);
      expect((await session.call("write_file", stale(before))).code).toBe("state_mismatch");
      expect((await session.call("write_file", stale(after))).code).toBe("applied");
    }
  });

  test("that knew only some of its lines knows no more of the others by that", async () => {
    const session = openSession({ files: { f: base } });
    await session.call("read_file", { file_path: "f", offset: 1, limit: 10 });
    session.put("f", theirs);
    await session.call("write_file", stale(base));
    const { code, text } = await session.call(...whole);
    expect(code).toBe("unseen_lines");
    expect(text).toMatch(/lines 11-18, 21-29 of it were not shown/);
  });
});

test("a change that is most of the file brings the content", async () => {
  const other = numbered(400).replaceAll("line", "another line, and much longer than it was");
  const session = openSession({ files: { f: numbered(400) } });
  await session.call("read_file", { file_path: "f" });
  session.put("f", other);
  const { text } = await session.call("write_file", stale(numbered(400)));
  expect(parseEnvelope(text)?.files).toMatchObject([{ content: other }]);
  expect((await session.call("write_file", stale(other))).code).toBe("applied");
});

test("a conversation carries on what it knew, and a resume does", async () => {
  const talk = await openTalk({ files: { f: base } });
  await talk.call("read_file", { file_path: "f" });
  talk.put("f", theirs);
  expect((await talk.call("write_file", stale(base))).code).toBe("state_mismatch");
  talk.say("Go on.");
  const resumed = await talk.resume();
  expect((await resumed.call(...whole)).code).toBe("applied");
});

test("a difference that the budget cut tells of nothing but its own lines", () => {
  const message = "State Mismatch: no.\nWhat changed since your base:\n@@ -1,3 +1,3 @@\n-a\n+b\n+c\n d";
  const state = stateOf("b\nc\nd\n");
  const quoted = [1, 2, 3].map((line) => ({
    from: line,
    to: line,
    start: message.indexOf(`${"bcd"[line - 1]}\n`),
  }));
  const change = reportOf({ changes: [{ at: 1, removed: 1, added: 2 }] });
  const difference = { base: sha("a\nd\n"), isForeign: true };
  const outcome = { ...refusedOf("state_mismatch", message, { state }), quoted, change, difference };
  const render = (budgetChars: number) =>
    renderResult({ kind: "write", outcome }, { wire: "text", resultContent: "auto", budgetChars });
  expect(render(10_000).shown[0]?.since).toMatchObject({ before: difference.base, version: state.version });
  for (let budgetChars = 60; budgetChars < render(10_000).text.length; budgetChars += 7) {
    const { text, shown } = render(budgetChars);
    expect(text.length).toBeLessThanOrEqual(budgetChars);
    if (!text.includes("\n+c\n d")) expect(shown.flatMap(({ since }) => since ?? [])).toEqual([]);
  }
});
