import { type Edit, findNodeAtLocation, type Node } from "jsonc-parser";
import { afterMember } from "./insert-member.js";

/**
 * The edits that take a member out with one comma, and with its line where nothing else stands on it; comments stay. The
 * library's own removal takes what stands between it and the member before: a comment about that one.
 *
 *     "a": 1, // why           "a": 1 // why
 *     "b": 2            →
 *
 * @returns none where there is no such member.
 */
export function removalOf(text: string, root: Node, path: readonly (string | number)[]): Edit[] {
  const member = findNodeAtLocation(root, [...path])?.parent;
  const siblings = member?.parent?.children;
  if (member?.type !== "property" || siblings === undefined) return [];
  const end = endOf(member);
  const previous = siblings[siblings.indexOf(member) - 1];
  const { comma: behind } = afterMember(text, end);
  if (behind !== undefined)
    return /^[ \t]*,$/.test(text.slice(end, behind))
      ? [cut(text, member.offset, behind)]
      : [cut(text, member.offset, end), { offset: behind - 1, length: 1, content: "" }];
  const before = previous === undefined ? undefined : afterMember(text, endOf(previous)).comma;
  if (before === undefined) return [cut(text, member.offset, end)];
  return [{ offset: before - 1, length: 1, content: "" }, cut(text, member.offset, end, true)];
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** Cuts out with the line, where that is all on it; else with the blanks on the side where they are too many then. */
function cut(text: string, from: number, to: number, isLast = false): Edit {
  const lineFrom = text.lastIndexOf("\n", from - 1) + 1;
  const [blanksBefore = ""] = /[ \t]*$/.exec(text.slice(lineFrom, from)) ?? [];
  const [blanksBehind = "", lineBreak] = /^[ \t]*(\r?\n)?/.exec(text.slice(to)) ?? [];
  const isOwnLine = lineBreak !== undefined && from - blanksBefore.length === lineFrom;
  const takesBefore = isOwnLine || lineBreak !== undefined || isLast;
  const start = takesBefore ? from - blanksBefore.length : from;
  const end = isOwnLine || !takesBefore ? to + blanksBehind.length : to;
  return { offset: start, length: end - start, content: "" };
}
