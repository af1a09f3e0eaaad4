import { type DrawnRow, drawnRows, nodeHolds } from "@holdfast/core/context";
import { type ConversationContext, effectsOf, type TurnNode } from "@holdfast/core/conversation/values";

/** Which nodes of a tree have a row. */
export const rowFilters = ["all", "prompts", "tasks", "files", "labels"] as const;

/** The name of such a filter. */
export type RowFilter = (typeof rowFilters)[number];

const shows: Readonly<Record<RowFilter, (node: TurnNode) => boolean>> = {
  all: () => true,
  prompts: ({ payload }) => payload.kind === "user_message" || payload.kind === "model_message",
  tasks: ({ payload }) => payload.kind === "task_boundary" || payload.kind === "task_summary",
  files: ({ payload }) => effectsOf(payload).length > 0 || payload.kind === "restore",
  labels: ({ metadata }) => metadata.label !== undefined,
};

/** The rows of a tree that a filter leaves, the first and the head always among them. */
export function rowsOf(context: ConversationContext, filter: RowFilter): readonly DrawnRow[] {
  const { sessionId, currentNodeId } = context;
  const isKept = (node: TurnNode) =>
    node.id === sessionId || node.id === currentNodeId || shows[filter](node);
  return drawnRows(context, {
    width: 160,
    filter: (node) => isKept(node) || isResultOf(node, isKept, context),
  });
}

/** A call has its row where its result is wanted. */
function isResultOf(
  { childIds }: TurnNode,
  isKept: (node: TurnNode) => boolean,
  { nodes }: ConversationContext,
) {
  return childIds.some((id) => {
    const child = nodes.get(id);
    return child?.payload.kind === "tool_result" && isKept(child);
  });
}

/** The rows without those below folded branches. Of a folded branch its first row stays. */
export function unfoldedRows(rows: readonly DrawnRow[], folded: ReadonlySet<string>): readonly DrawnRow[] {
  if (folded.size === 0) return rows;
  const left: DrawnRow[] = [];
  let hidden: number | undefined;
  for (const row of rows) {
    if (hidden !== undefined && (row.level > hidden || (row.level === hidden && !row.begins))) continue;
    hidden = row.begins && folded.has(row.id) ? row.level : undefined;
    left.push(row);
  }
  return left;
}

/** The first row of the branch that a row stands on; undefined on the first branch. */
export function branchStart(rows: readonly DrawnRow[], at: number): DrawnRow | undefined {
  const level = rows[at]?.level ?? 0;
  return rows.slice(0, at + 1).findLast((row) => row.begins && row.level === level);
}

/** The next row in a direction whose node holds the words, round the end; undefined where none does. */
export function nextHit(
  rows: readonly DrawnRow[],
  from: number,
  by: 1 | -1,
  { words, context }: { readonly words: string; readonly context: ConversationContext },
): number | undefined {
  const holds = nodeHolds(words);
  for (let step = 1; step <= rows.length; step += 1) {
    const at = (from + by * step + rows.length * step) % rows.length;
    const row = rows[at];
    const node = row && context.nodes.get(row.id);
    if (
      row !== undefined &&
      node !== undefined &&
      (holds(node) || holds({ ...node, payload: { kind: "note", text: row.says, audience: "person" } }))
    )
      return at;
  }
  return undefined;
}
