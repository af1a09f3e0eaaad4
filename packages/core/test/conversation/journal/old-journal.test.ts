import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { renderContext } from "../../../src/context/index.js";
import { Manifests } from "../../../src/conversation/index.js";
import { readJournal, replay } from "../../../src/conversation/journal/index.js";

const journal = readFileSync(new URL("journals/of-0.1.jsonl", import.meta.url));
/** What release 0.1 itself made of the end of each branch: scripts/sample-session.mjs, rendered by it. */
const release: Readonly<Record<string, { contents: unknown; visible: readonly object[] }>> = JSON.parse(
  readFileSync(new URL("journals/of-0.1.prompts.json", import.meta.url), "utf8"),
);
/** The one sentence that is said otherwise since: it named a tool that an agent does not offer by that name. */
const prompts: typeof release = JSON.parse(
  JSON.stringify(release).replaceAll(
    "Its full history: expand_task_summary with task_id",
    "Its full history can be shown: its task_id is",
  ),
);

describe("a journal of release 0.1", () => {
  const { records, problems } = readJournal(journal, () => undefined);
  const [first] = records;
  if (first?.event.type !== "session_started") throw new Error("the session does not begin");
  const { context, problems: unfolded } = replay(first.event.sessionId, records);

  it("is read and folded without a word", () => {
    expect([...problems, ...unfolded]).toEqual([]);
    expect(records.every(({ v }) => v === 1)).toBe(true);
    expect(context.nodes.size).toBe(38);
  });

  it.each(Object.keys(prompts))("gives the prompt that it gave then, at %s", (headId) => {
    const { contents, visibility, report } = renderContext(context, { headId, now: 1, expand: new Set() });
    expect(contents).toEqual(prompts[headId]?.contents);
    expect(visibility.states()).toMatchObject(prompts[headId]?.visible ?? []);
    expect(report.broken).toEqual([]);
  });

  it("tells the states of files that it told then", () => {
    const manifest = new Manifests().at(context, context.currentNodeId);
    expect([...manifest.keys()].sort()).toEqual(["src/format.ts", "src/invoice.ts", "src/money.ts"]);
  });
});
