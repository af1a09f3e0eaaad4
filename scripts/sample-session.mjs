/**
 * Plays a coding session into a state folder: a task that is merged, one that is given up, and a rewind
 * after which the files follow. Files are really written, so that their states are kept.
 *
 *     node scripts/sample-session.mjs STATE_DIR PROJECT_DIR
 *
 * prints the session's id. It is the session of docs/history-page.png and of the page's tests.
 */
import { createHash } from "node:crypto";
import { argv } from "node:process";
import { createConversation } from "@holdfast/core/conversation";
import { timeSortedIds } from "@holdfast/core/conversation/values";
import { isRefusal } from "@holdfast/core/files/values";
import { openJournalStore, openWorkspace } from "@holdfast/core/node";
import { carryOut } from "@holdfast/core/tools";

const [stateDir, project] = argv.slice(2);
if (stateDir === undefined || project === undefined) throw new Error("STATE_DIR and PROJECT_DIR are needed");

const invoice = `import type { Item } from "./item.js";

export interface Invoice {
  readonly items: readonly Item[];
  readonly taxRate: number;
}

/** What the customer owes, tax included. */
export function totalOf({ items, taxRate }: Invoice): number {
  let sum = 0;
  for (const { price, count } of items) {
    sum += price * count;
  }
  return Math.round(sum * (1 + taxRate) * 100) / 100;
}

export function countOf({ items }: Invoice): number {
  return items.reduce((sum, { count }) => sum + count, 0);
}
`;
const money = `/** A whole number of cents. */
export type Cents = number & { readonly unit: "cents" };

/** An amount in the currency's unit as cents; half a cent is rounded away from zero. */
export function cents(amount: number): Cents {
  return cents.of(Math.sign(amount) * Math.round(Math.abs(amount) * 100));
}

cents.of = (whole: number): Cents => whole as Cents;
`;
const format = `import { totalOf, type Invoice } from "./invoice.js";

export function describe(invoice: Invoice): string {
  return \`Total: \${(totalOf(invoice) / 100).toFixed(2)}\`;
}
`;
const [, , , total = ""] = format.split("\n");
const inEuros = total.replace("(totalOf(invoice) / 100)", "totalOf(invoice)");
const inEurosWhole = format.replace(total, inEuros);
const before = format.replace("Total: ${", "Total: € ${");

const model = { provider: "google", model: "gemini-3-pro" };
let clock = Date.UTC(2026, 2, 2, 9, 12, 4);
const now = () => {
  clock += 7_300;
  return clock;
};
let chance = 7;
const random = (bytes) => Uint8Array.from({ length: bytes }, () => nextChance() & 255);

function nextChance() {
  chance = (chance * 75 + 74) % 65_537;
  return chance;
}

const store = must(openJournalStore({ stateDir }));
const workspace = must(await openWorkspace({ roots: [project], stateDir }));
const conversation = must(
  await createConversation(store, {
    ids: timeSortedIds(now, random),
    now,
    title: "Invoices are a cent off",
    cwd: "/home/ada/billing",
  }),
);
const { manager } = conversation;
await play();
must(await conversation.close());
await workspace.close();
await store.close();
process.stdout.write(`${manager.context.sessionId}\n`);

async function play() {
  await findTheCause();
  giveUpATask();
  await mergeATask();
  await changeTheirMind();
  must(await manager.flush());
}

async function findTheCause() {
  await disk("src/invoice.ts", invoice);
  await disk("src/format.ts", inEurosWhole);
  must(
    manager.commitStagedItems("Some invoices are a cent off. Find out why, and fix it where it comes from."),
  );
  answer("Totals first: where they are added up, and how the tests see them.", {
    thought:
      "A cent off sounds like rounding. Either the sum or the tax is rounded at the wrong place. I read the code before I guess.",
    usage: { inputTokens: 5_210, cachedInputTokens: 4_608, outputTokens: 96, thoughtTokens: 41 },
    calls: [
      call("c1", "search_files", { pattern: "totalOf", path: "src" }),
      call("c2", "read_file", { file_path: "src/invoice.ts" }),
    ],
  });
  result(
    "c1",
    "search_files",
    `src/invoice.ts:9:export function totalOf({ items, taxRate }: Invoice): number {\nsrc/format.ts:4:${inEuros}\n`,
  );
  await carry("c2");
  answer(
    "The sum is kept as a float and rounded once at the end, while the printed lines are rounded one by one. Where a line ends in half a cent, the two disagree.\n\nI'll count in whole cents instead.",
  );
  must(manager.trackFile("src/invoice.ts"));
}

function giveUpATask() {
  const library = must(
    manager.startTask({
      name: "a decimal library",
      goal: "See whether a decimal library would do it with less code.",
    }),
  );
  answer("The smallest one adds 32 kB and changes every caller. Not worth it for two functions.", {
    usage: { inputTokens: 6_020, cachedInputTokens: 5_120, outputTokens: 38 },
  });
  must(manager.cancelTask());
  must(manager.setLabel(library.id, "dead end"));
}

async function mergeATask() {
  must(
    manager.startTask({
      name: "count in cents",
      goal: "totalOf counts whole cents; the tests of src/invoice.ts pass.",
    }),
  );
  answer("One small type keeps cents and euros apart.", {
    usage: { inputTokens: 6_480, cachedInputTokens: 6_016, outputTokens: 412 },
    calls: [call("c3", "write_file", { file_path: "src/money.ts", content: money })],
  });
  await carry("c3");
  answer("", {
    calls: [
      call("c4", "safe_patch", {
        file_path: "src/invoice.ts",
        base_content_sha256: hashOf(invoice),
        unified_diff:
          '@@ -1,2 +1,3 @@\n import type { Item } from "./item.js";\n+import { cents, type Cents } from "./money.js";\n \n@@ -8,8 +9,8 @@\n-/** What the customer owes, tax included. */\n-export function totalOf({ items, taxRate }: Invoice): number {\n+/** What the customer owes, tax included: each line is rounded, as it is printed. */\n+export function totalOf({ items, taxRate }: Invoice): Cents {\n   let sum = 0;\n   for (const { price, count } of items) {\n-    sum += price * count;\n+    sum += cents(price) * count;\n   }\n-  return Math.round(sum * (1 + taxRate) * 100) / 100;\n+  return cents.of(Math.round(sum * (1 + taxRate)));\n }\n',
      }),
    ],
  });
  await carry("c4");
  answer("Now the tests.", { calls: [call("c5", "run_shell_command", { command: "npm test -- invoice" })] });
  result(
    "c5",
    "run_shell_command",
    " FAIL  test/format.test.ts > prints the total\n   expected 'Total: 1190.00' to be 'Total: 11.90'\n\n 1 failed, 11 passed\n",
    true,
  );
  answer("The total is in cents now, so what prints it has to divide.", {
    thought: "format.ts still takes the total for euros. The fix belongs there, not in totalOf.",
    calls: [
      call("c6", "safe_patch", {
        file_path: "src/format.ts",
        base_content_sha256: hashOf(inEurosWhole),
        unified_diff: `@@ -4 +4 @@\n-${inEuros}\n+${total}\n`,
      }),
    ],
  });
  await carry("c6");
  answer("", { calls: [call("c7", "run_shell_command", { command: "npm test" })] });
  result("c7", "run_shell_command", " 12 passed\n");
  must(
    manager.completeTask({
      summary:
        "totalOf counts whole cents and rounds each line as it is printed; format.ts divides by 100. All 12 tests pass.",
    }),
  );

  answer(
    "Fixed: totals are counted in whole cents, so the sum of the printed lines is the total. The old code rounded once at the end.",
    {
      usage: { inputTokens: 4_980, cachedInputTokens: 4_096, outputTokens: 64 },
    },
  );
  must(manager.setLabel(manager.context.currentNodeId, "fixed"));
}

async function changeTheirMind() {
  const here = manager.context.currentNodeId;
  must(manager.commitStagedItems("Show the currency with the total."));
  answer("Before the amount, then.", {
    usage: { inputTokens: 5_110, cachedInputTokens: 4_992, outputTokens: 88 },
    // The task's branch knew the file; this one has only its summary.
    calls: [
      call("c8r", "read_file", { file_path: "src/format.ts" }),
      call("c8", "edit_file", {
        file_path: "src/format.ts",
        edits: [{ old_string: "Total: ${", new_string: "Total: € ${" }],
      }),
    ],
  });
  await carry("c8r");
  await carry("c8");
  answer("The total now reads `Total: € 11.90`.");

  await disk("src/format.ts", format);
  const restore = {
    restoreId: "r1",
    fromId: manager.context.currentNodeId,
    toId: here,
    files: [{ path: "src/format.ts", from: hashOf(before), to: hashOf(format) }],
  };
  must(manager.beginRestore(restore));
  must(manager.finishRestore(restore));
  must(manager.commitStagedItems("Show the currency with the total, behind the amount as it is usual here."));
  answer("Behind the amount, with a space.", {
    usage: { inputTokens: 5_142, cachedInputTokens: 4_992, outputTokens: 92 },
    // The task's branch knew the file; this one has only its summary.
    calls: [
      call("c9r", "read_file", { file_path: "src/format.ts" }),
      call("c9", "edit_file", {
        file_path: "src/format.ts",
        edits: [{ old_string: ").toFixed(2)}`", new_string: ").toFixed(2)} €`" }],
      }),
    ],
  });
  await carry("c9r");
  await carry("c9");
  answer("The total now reads `Total: 11.90 €`.");
}

/** One answer of the model. */
function answer(text, { thought, usage, calls = [] } = {}) {
  const step = `step ${manager.context.nodes.size}`;
  const thoughts = thought === undefined ? [] : [{ kind: "thought", text: thought }];
  const texts = text === "" ? [] : [{ kind: "text", text }];
  const parts = [...thoughts, ...texts, ...calls];
  must(manager.addAnswer({ step, from: model, parts, ...(usage === undefined ? {} : { usage }) }));
}

function call(callId, name, args) {
  return { kind: "tool_call", callId, name, args };
}

function result(callId, name, output, isError) {
  must(manager.addNode({ kind: "tool_result", callId, name, output, ...(isError ? { isError } : {}) }));
}

/** A call of a file tool, really carried out. */
async function carry(callId) {
  const turn = must(await carryOut({ callId }, { manager, workspace }));
  if (turn.kind !== "answered" || turn.isError) throw new Error(`${callId}: ${turn.text}`);
}

async function disk(path, content) {
  const present = await workspace.read({ path });
  const base = present.kind === "refusal" ? {} : { base: present.state.sha256 };
  const written = await workspace.write({ path, content, tool: "sample", ...base });
  if (!written.success) throw new Error(written.message);
}

function hashOf(text) {
  return createHash("sha256").update(text).digest("hex");
}

function must(answered) {
  if (isRefusal(answered)) throw new Error(`${answered.code}: ${answered.message}`);
  return answered;
}
