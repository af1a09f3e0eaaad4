import { createScanner, type Edit, type Node } from "jsonc-parser";

/**
 * The edits that take a member of an object or an element of a list out, with its comma, and touch nothing else: the
 * library's own removal takes the comment of the member before it, too. What held nothing but it goes with it, up to a
 * member of the root.
 *
 *     "a": 1, // why          "a": 1 // why
 *     "b": { "ours": 2 }  →
 *
 * @param node the member (its whole property) or the element.
 */
export function removalOf(text: string, node: Node): Edit[] {
  const { parent, offset, length } = outermost(text, node);
  const siblings = parent?.children ?? [];
  const at = siblings.findIndex((sibling) => sibling.offset === offset);
  const before = siblings[at - 1];
  const end = offset + length;
  const comma = commaBehind(text, end);
  const isDirect = comma !== undefined && text.slice(end, comma).trim() === "";
  const from = before === undefined ? (parent?.offset ?? 0) + 1 : before.offset + before.length;
  const edits = [spanOf(text, { from, start: offset, end: isDirect ? comma + 1 : end })];
  const other = comma === undefined && before !== undefined ? commaBehind(text, from) : comma;
  if (!isDirect && other !== undefined) edits.push({ offset: other, length: 1, content: "" });
  return edits;
}

/** The member or element that would be empty without this one, and so on outwards. */
function outermost(text: string, node: Node): Node {
  const container = node.parent;
  const holder = container?.parent;
  if (container === undefined || holder === undefined || container.children?.length !== 1) return node;
  const inner = text.slice(container.offset + 1, node.offset);
  const rest = text.slice(node.offset + node.length, container.offset + container.length - 1);
  if (inner.trim() !== "" || !/^\s*,?\s*$/.test(rest)) return node;
  return outermost(text, holder.type === "property" ? holder : container);
}

/** What goes of the lines: a line that the member had for itself, or the blanks on one side of it. */
function spanOf(
  text: string,
  { from, start, end }: { readonly from: number; readonly start: number; readonly end: number },
): Edit {
  const [blanks = ""] = /^[ \t]*/.exec(text.slice(end)) ?? [];
  const next = text[end + blanks.length] ?? "\n";
  const isLineEnd = /[\r\n]/.test(next);
  if (!isLineEnd && !/[}\]]/.test(next)) {
    // A comment behind the member stays where it is.
    return remove(start, next === "/" ? end : end + blanks.length);
  }
  const between = text.slice(from, start);
  const [margin = ""] = /(?:\r?\n)?[ \t]*$/.exec(between) ?? [];
  // Behind a line comment the bracket needs the line break.
  const isKept = !isLineEnd && margin.includes("\n") && between.includes("/");
  return remove(isKept ? start : start - margin.length, isLineEnd ? end + blanks.length : end);
}

function remove(from: number, to: number): Edit {
  return { offset: from, length: to - from, content: "" };
}

/** Where the comma behind a value stands, if there is one. */
function commaBehind(text: string, end: number): number | undefined {
  const scanner = createScanner(text);
  scanner.setPosition(end);
  for (let token = scanner.scan(); ; token = scanner.scan()) {
    if (token === commaToken) return scanner.getTokenOffset();
    if (token < firstTrivia || token > lastTrivia) return undefined;
  }
}

/** Kinds of tokens, by the numbers of the library's `SyntaxKind`, which this compilation may not name. */
const [commaToken, firstTrivia, lastTrivia] = [5, 12, 15];
