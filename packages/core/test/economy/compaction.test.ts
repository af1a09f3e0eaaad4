import { describe, expect, it } from "vitest";
import { checkContents } from "../../src/context/index.js";
import { draftCompaction, fileLedger, planCompaction } from "../../src/economy/index.js";
import { isCheck } from "../../src/economy/ledger.js";
import { fileOf, Session, settingsOf } from "./sessions.js";

const settings = settingsOf({ compaction: { tailTokens: 1_000, contextTokenThreshold: 5_000 } });
const budget = { settings, provider: "anthropic" };

function longSession(): Session {
  const session = new Session().say("Make the tests pass.");
  const before = fileOf("a.ts", 120);
  const after = fileOf("a.ts", 120, 1);
  session.read(before);
  session.use("safe_patch", { path: "a.ts" }, "patched", {
    files: [
      {
        path: "a.ts",
        before: before.sha256,
        after: after.sha256,
        by: "tool",
        version: 2,
        changes: [{ at: 1, removed: 2, added: 3 }],
      },
    ],
  });
  session.use("run_shell_command", { command: "npm test" }, "2 failed", { isError: true });
  for (let at = 0; at < 6; at += 1) session.read(fileOf(`more${at}.ts`, 60));
  return session.answer("Going on.");
}

describe("compaction", () => {
  it("cuts where no pair is torn apart, keeps the tail, and says what was asked word for word", () => {
    const session = longSession();
    const { context } = session.tree;
    const cut = planCompaction(context, session.render(), budget, {});
    if (cut.kind !== "cut") throw new Error(cut.message);
    expect(cut.tokens.tail).toBeLessThanOrEqual(1_000);
    const draft = draftCompaction(context, cut, "## Task Overview\nTests.", 4);
    if (draft.kind !== "draft") throw new Error(draft.message);
    expect(draft.summary.instruction?.text).toBe("Make the tests pass.");
    session.tree.add("summary", draft.summary);
    const { contents, report } = session.render();
    expect(checkContents(contents, "anthropic")).toEqual([]);
    expect(report.broken).toEqual([]);
    expect(JSON.stringify(contents[0])).toContain("a.ts: version 2, sha256");
  });

  it("keeps a ledger of what the tools did, and of what was run after that", () => {
    const { context } = longSession().tree;
    expect(fileLedger(context, context.currentNodeId)).toEqual([
      {
        path: "a.ts",
        from: fileOf("a.ts", 120).sha256,
        to: fileOf("a.ts", 120, 1).sha256,
        version: 2,
        added: 3,
        removed: 2,
        check: { nodeId: expect.any(String), command: "npm test", failed: true },
      },
    ]);
  });

  it.each([
    ["npm test", true],
    ["./verify.sh", true],
    ["cat test/a.test.ts", false],
    ["rg check src | head", false],
  ])("takes %j for a check: %j", (command, expected) => expect(isCheck(command)).toBe(expected));

  it("refuses a summary that is not smaller", () => {
    const session = longSession();
    const { context } = session.tree;
    const cut = planCompaction(context, session.render(), budget, {});
    if (cut.kind !== "cut") throw new Error(cut.message);
    expect(draftCompaction(context, cut, "word ".repeat(20_000), 4)).toMatchObject({ kind: "grows" });
  });

  it("writes out what the tail speaks of", () => {
    const file = fileOf("a.ts", 200);
    const session = new Session().say("go");
    session.read(file);
    for (let at = 0; at < 4; at += 1) session.read(fileOf(`more${at}.ts`, 100));
    session.reread(file, 5, 20);
    const cut = planCompaction(session.tree.context, session.render(), budget, {});
    if (cut.kind !== "cut") throw new Error(cut.message);
    expect(cut.changes).toHaveLength(1);
    session.tree.add("reform", { kind: "context_management", action: "reform", changes: cut.changes });
    const draft = draftCompaction(session.tree.context, cut, "short", 4);
    if (draft.kind !== "draft") throw new Error(draft.message);
    session.tree.add("summary", draft.summary);
    const { report, visibility } = session.render();
    expect(report.broken).toEqual([]);
    expect(visibility.isVisible({ path: "a.ts", sha256: file.sha256, from: 5, to: 20 })).toBe(true);
  });
});
