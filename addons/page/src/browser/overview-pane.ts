import {
  type ListedTask,
  type SessionSummary,
  summarizeSession,
  type TreeShape,
} from "@holdfast/core/conversation";
import { excerptOf } from "@holdfast/core/conversation/values";
import { diffTexts } from "@holdfast/core/patch";
import { button, type Child, element } from "./dom.js";
import type { Spent } from "./page-data.js";
import type { FileVersion, SessionView } from "./session-view.js";
import { quiet } from "./texts.js";
import { counted, timeOf } from "./words.js";

/** Where what is shown of a session leads to: a node, a file. */
type OverviewLinks = Readonly<Record<"select" | "toFile", (name: string) => void>>;

/** What a session is about and what became of it, at one glance. */
export function overviewView(session: SessionView, shape: TreeShape, links: OverviewLinks): readonly Child[] {
  const summary = summarizeSession(session.context);
  return [
    element("h2", {}, session.context.title ?? "Untitled session"),
    ...tasks(summary.tasks, links),
    facts(session, summary),
    ...files(session, links),
    ...branches(session, shape, links),
  ];
}

/** The innermost of the tasks around the head, outermost first, with what each is to do. */
function tasks(session: ListedTask, { select }: OverviewLinks): readonly Child[] {
  const open: HTMLElement[] = [];
  const inside = ({ tasks: inner }: ListedTask) => inner.find(({ state }) => state === "active");
  for (let task = inside(session); task !== undefined; task = inside(task)) {
    const { id, name, goal = "" } = task;
    const link = button({ class: "link" }, () => select(id), name || "without a name");
    open.push(element("div", {}, "Task ", link, goal === "" ? "" : quiet(goal)));
  }
  // They may be nested thousands of levels deep.
  return open.slice(-8);
}

function facts({ context, data }: SessionView, { kinds, tokens }: SessionSummary): HTMLElement {
  const counts = new Map(kinds);
  let [failed, lastMs] = [0, 0];
  for (const { payload, timestamp } of context.nodes.values()) {
    lastMs = Math.max(lastMs, timestamp);
    if (payload.kind === "tool_result" && payload.isError === true) failed += 1;
  }
  const rows = {
    turns: number(counts.get("user_message") ?? 0),
    calls: `${number(counts.get("tool_call") ?? 0)}, ${number(failed)} failed`,
    tokens: tokenWords(tokens),
    cost: costWords(data.spent),
    "last change": timeOf(lastMs),
  };
  const row = ([name, value]: [string, string]) => [element("dt", {}, name), element("dd", {}, value)];
  return element("dl", { class: "overview" }, ...Object.entries(rows).flatMap(row));
}

function tokenWords({ input, cached, output }: SessionSummary["tokens"]): string {
  if (input + output === 0) return "not counted";
  const share = Math.round((100 * cached) / Math.max(1, input));
  return `${number(input)} in, ${number(output)} out; ${share} % of the prompts from the cache`;
}

function costWords({ costUsd, unpriced }: Spent): string {
  if (costUsd === 0) return "not known";
  const without = unpriced === 0 ? "" : `, without ${counted(unpriced, "answer")} of no known price`;
  return `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}${without}`;
}

/** The files that a tool of this session changed on the way to the head, with the lines that differ now. */
function files(session: SessionView, { toFile }: OverviewLinks): readonly Child[] {
  const all = [...session.files(session.context.currentNodeId)];
  const changed = all.filter(([, versions]) => versions.some(({ by }) => by === "tool"));
  const rows = changed.slice(0, mostFiles).map(([path, versions]) => {
    const name = button({ class: "link" }, () => toFile(path), element("code", {}, path));
    const cells = [name, ...changeOf(session, versions)].map((said) => element("td", {}, said));
    return element("tr", {}, ...cells);
  });
  const less = changed.length > rows.length ? `, of which these ${rows.length} changed last` : "";
  const caption = element("caption", {}, `${counted(changed.length, "file")} changed${less}`);
  return [element("table", { class: "visible" }, caption, element("tbody", {}, ...rows))];
}

/** What became of a file between its first state and its last, as far as the texts of both are there. */
function changeOf(session: SessionView, versions: readonly FileVersion[]): readonly string[] {
  const [first, last] = [versions[0]?.sha256 ?? null, versions.at(-1)?.sha256 ?? null];
  const fate = last === null ? "deleted" : first === null ? "created" : counted(versions.length, "state");
  const [before, after] = [session.text(first), session.text(last)];
  if (before === undefined || after === undefined) return ["", "", fate];
  let [added, removed] = [0, 0];
  for (const { oldFrom, oldTo, newFrom, newTo } of diffTexts(before, after, longestDiffMs)) {
    added += newTo - newFrom;
    removed += oldTo - oldFrom;
  }
  return [`+${added}`, `−${removed}`, fate];
}

/** Each end of a branch; the one with the head first, then the last begun. */
function branches({ context }: SessionView, shape: TreeShape, { select }: OverviewLinks): readonly Child[] {
  const ends = shape.ends().toSorted((one, other) => other.order - one.order);
  const onPath = ends.filter(({ id }) => shape.onPath.has(id));
  const rows = new Set([...onPath, ...ends.slice(0, mostBranches)]);
  const items = [...rows].map(({ id, payload, depth, timestamp }) => {
    const link = button({ class: "link" }, () => select(id), excerptOf(payload, 80) || payload.kind);
    const head = id === context.currentNodeId ? element("span", { class: "tag head" }, "head") : "";
    return element("li", {}, link, " ", head, ` ${counted(depth, "node")} deep, ${timeOf(timestamp)}`);
  });
  const title = `${counted(ends.length, "end")} of branches${ends.length > rows.size ? ", the last" : ""}`;
  return [element("h3", {}, title), element("ul", { class: "deltas" }, ...items)];
}

function number(count: number): string {
  return count.toLocaleString("en");
}

const mostFiles = 200;
const mostBranches = 30;
const longestDiffMs = 20;
