import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ApplyChangesRequest,
  currentBase,
  type FileChange,
  isRefusal,
} from "@holdfast/core/files/values";
import { openWorkspace } from "@holdfast/core/node";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Asked } from "../../../src/loop/gate.js";
import { answerByNumbers, choicesOf, linesOfAsked } from "../../../src/ui/asking/asked.js";

type Question = Extract<Asked, { kind: "change" }>["question"];

const forms = {
  "utf-8": (text: string) => Buffer.from(text),
  "utf-8 with a mark": (text: string) => Buffer.from(`\ufeff${text}`),
  "utf-16le": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "utf-16be": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
  "windows-1252": (text: string) => Buffer.from(text, "latin1"),
} as const;

/** Few different lines, so that many are repeated; a lone CR is a letter of its line. */
const line = fc.constantFrom("", "a", "b", "c", "\tz", "é", "x\ry", "a line of words", "// ... rest of code");
const ended = fc.tuple(line, fc.constantFrom("\n", "\n", "\r\n")).map((parts) => parts.join(""));
const change = fc.record({
  // A cast: its own keys.
  form: fc.constantFrom(...(Object.keys(forms) as (keyof typeof forms)[])),
  kept: fc.array(ended, { minLength: 30, maxLength: 60 }),
  // A line of these comes in the place of each tenth one; none of it for undefined.
  fresh: fc.array(fc.option(ended, { nil: undefined }), { minLength: 1, maxLength: 6 }),
  isReplaced: fc.boolean(),
  ends: fc.tuple(line, line),
  taken: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
});
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never;

function textsOf({ kept, fresh, isReplaced, ends }: Change): readonly [before: string, after: string] {
  const after = kept.map((text, at) => {
    const [own, other] = [at % 10 === 5 && !isReplaced ? text : "", fresh[(at - 5) / 10]];
    return at % 10 === 5 && at / 10 < fresh.length ? own + (other ?? "") : text;
  });
  return [kept.join("") + ends[0], after.join("") + ends[1]];
}

/** The text with the changes that were taken, from nothing but what the person saw: numbers, and signs before them. */
function asSeen(asked: Asked, before: string, after: string, taken: ReadonlySet<number>): string {
  const [old = [], fresh = []] = [before, after].map((text) => text.match(/[^\n]*\n|[^\n]+$/gu) ?? []);
  const digits = String(Math.max(old.length, fresh.length)).length;
  const added = new Map<number, string>();
  const removed = new Set<number>();
  let [hunk, last] = [0, 0];
  for (const [{ text: numbers } = { text: "" }, sign] of linesOfAsked(asked, true).lines) {
    if (numbers.startsWith("@@")) hunk += 1;
    if (hunk === 0 || numbers.startsWith("@@")) continue;
    const [left, right] = [Number(numbers.slice(0, digits)), Number(numbers.slice(digits + 1))];
    if (left > 0) last = left;
    if (!taken.has(hunk)) continue;
    if (sign?.text === "-") removed.add(left);
    if (sign?.text === "+") added.set(last, (added.get(last) ?? "") + fresh[right - 1]);
  }
  const lines = old.map((text, at) => (removed.has(at + 1) ? "" : text) + (added.get(at + 1) ?? ""));
  return (added.get(0) ?? "") + lines.join("");
}

describe("the changes of a file that a person takes by their numbers", () => {
  it("come into the file as they were shown, and no others, in its encoding and endings", async () => {
    const place = mkdtempSync(join(tmpdir(), "holdfast-taken-"));
    const root = join(place, "project");
    mkdirSync(root);
    const workspace = await openWorkspace({ roots: [root], stateDir: join(place, "state") });
    if (isRefusal(workspace)) throw new Error(workspace.message);
    const isKept = async (one: Change) => {
      const bytesOf = forms[one.form];
      const [before, wanted] = textsOf(one);
      const encoding = one.form === "windows-1252" ? { encoding: one.form } : {};
      const path = `${randomUUID()}.txt`;
      writeFileSync(join(root, path), bytesOf(before));
      const content = one.form === "windows-1252" ? wanted : bytesOf(wanted);
      const request = { kind: "write", path, base: currentBase, content, ...encoding } as const;
      const preview = await workspace.preview(request);
      if (preview.kind !== "preview") return;
      const after = preview.files[0]?.after ?? "";
      expect(preview.files[0]?.before).toBe(before);
      // A cast: of the question, what is looked at.
      const asked: Asked = { kind: "change", tool: "write_file", question: { request, preview } as Question };
      const most = Number(/\(1-(\d+)\): $/u.exec(choicesOf(asked))?.[1] ?? 0);
      const taken = one.taken.flatMap((isTaken, at) => (isTaken && at < most ? [at + 1] : []));
      const answer = answerByNumbers(taken.join(", "), asked);
      if (answer?.kind !== "instead" || answer.request.kind !== "write") return;
      const made = await workspace.run({ ...answer.request, ...encoding }, { isByPerson: true });
      expect(made).toMatchObject({ code: "applied" });
      const bytes = readFileSync(join(root, path)).toString("latin1");
      expect(bytes).toBe(bytesOf(asSeen(asked, before, after, new Set(taken))).toString("latin1"));
    };
    await fc.assert(fc.asyncProperty(change, isKept), { numRuns: 120 });
    await workspace.close();
    rmSync(place, { recursive: true, force: true });
  });

  it("come into several files, of which each keeps its bytes where nothing of it was taken", async () => {
    const place = mkdtempSync(join(tmpdir(), "holdfast-taken-"));
    const root = join(place, "project");
    mkdirSync(root);
    const workspace = await openWorkspace({ roots: [root], stateDir: join(place, "state") });
    if (isRefusal(workspace)) throw new Error(workspace.message);
    const lines = (ending: string) =>
      Array.from({ length: 20 }, (_, at) => `line ${at + 1}${ending}`).join("");
    const before = { "a.txt": `${lines("\r\n")}mixed\n`, "b.txt": lines("\n") };
    const wanted = {
      "a.txt": before["a.txt"].replace("line 2\r", "LINE 2\r").replace("mixed", "MIXED"),
      "b.txt": before["b.txt"].replace("line 9", "LINE 9"),
      "c.txt": "fresh\r\n",
    };
    const put = () => {
      for (const [name, text] of Object.entries(before)) writeFileSync(join(root, name), text);
      rmSync(join(root, "c.txt"), { force: true });
    };
    const changes = Object.entries(wanted).map(([path, text]): FileChange => {
      const content = { kind: "text", text } as const;
      return path in before ? { path, base: currentBase, content } : { path, content };
    });
    const request: ApplyChangesRequest = { kind: "apply_changes", changes };
    for (const taken of [[1], [2], [3], [4], [1, 3], [2, 4], [1, 2, 4], [2, 3, 4]]) {
      put();
      const preview = await workspace.preview(request);
      // Casts: a question of what is looked at.
      const asked = { kind: "change", tool: "apply_changes", question: { request, preview } } as Asked;
      expect(choicesOf(asked)).toContain("some by number (1-4)");
      const heads = linesOfAsked(asked).lines.flatMap(([{ text } = { text: "" }]) =>
        text.startsWith("@@") ? [text.slice(3, 9)] : [],
      );
      expect(heads).toEqual(["1 of 4", "2 of 4", "3 of 4", "4 of 4"]);
      const answer = answerByNumbers(taken.join(" "), asked);
      if (answer?.kind !== "instead") throw new Error("no request");
      const made = await workspace.run(answer.request, { isByPerson: true });
      expect(made).toMatchObject({ success: true });
      const has = (number: number) => taken.includes(number);
      const a = has(1) ? before["a.txt"].replace("line 2\r", "LINE 2\r") : before["a.txt"];
      expect(readFileSync(join(root, "a.txt"), "latin1")).toBe(has(2) ? a.replace("mixed", "MIXED") : a);
      expect(readFileSync(join(root, "b.txt"), "latin1")).toBe(has(3) ? wanted["b.txt"] : before["b.txt"]);
      expect(existsSync(join(root, "c.txt"))).toBe(has(4));
    }
    await workspace.close();
    rmSync(place, { recursive: true, force: true });
  });
});
