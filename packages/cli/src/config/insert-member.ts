import { createScanner, type Edit, findNodeAtLocation, type Node } from "jsonc-parser";

/** How a file is laid out. */
export interface Layout {
  readonly indent: string;
  readonly eol: string;
}

/**
 * The edits that put a new member or element behind the last one of its object or list, and touch nothing else: the library's
 * own insertion lays out the whole line anew, and parts a comment from the member before it.
 *
 *     "a": 1 // why           "a": 1, // why
 *                      →      "b": 2
 *
 * @returns undefined where the member is there already, or where its object is empty.
 */
export function insertionOf(
  text: string,
  root: Node,
  setting: { readonly path: readonly (string | number)[]; readonly value: unknown },
  { indent, eol }: Layout,
): Edit[] | undefined {
  const { path } = setting;
  const depth = path.findIndex((_, at) => findNodeAtLocation(root, path.slice(0, at + 1)) === undefined);
  const parent = depth < 0 ? undefined : findNodeAtLocation(root, path.slice(0, depth));
  const last = parent?.children?.at(-1);
  const name = path[depth];
  if (parent === undefined || last === undefined || name === undefined) return undefined;
  const value = path.slice(depth + 1).reduceRight((inner: unknown, key) => ({ [key]: inner }), setting.value);
  const end = last.offset + last.length;
  const { comma, lineEnd } = afterMember(text, end);
  const isOneLine = !text.slice(parent.offset, parent.offset + parent.length).includes("\n");
  const key = parent.type === "array" ? "" : `${JSON.stringify(name)}: `;
  if (isOneLine)
    return [
      {
        offset: comma ?? end,
        length: 0,
        content: `${comma === undefined ? "," : ""} ${key}${JSON.stringify(value)}`,
      },
    ];
  const margin = marginOf(text, parent, last, indent);
  const lines = JSON.stringify(value, null, indent).split("\n").join(`${eol}${margin}`);
  const member = `${eol}${margin}${key}${lines}${comma === undefined ? "" : ","}`;
  const separator = comma === undefined ? [{ offset: end, length: 0, content: "," }] : [];
  return [...separator, { offset: lineEnd, length: 0, content: member }];
}

/** What stands before a member on its line; a member beside the brace of its object stands one step further. */
function marginOf(text: string, parent: Node, last: Node, indent: string): string {
  const line = text.slice(text.lastIndexOf("\n", last.offset) + 1, last.offset);
  const [margin = ""] = /^[ \t]*/.exec(line) ?? [];
  return text.slice(parent.offset, last.offset).includes("\n") ? margin : `${margin}${indent}`;
}

/** Where the comma behind a member ends, if there is one, and what belongs to the member's line. */
function afterMember(text: string, end: number): { readonly comma?: number; readonly lineEnd: number } {
  const scanner = createScanner(text);
  scanner.setPosition(end);
  let comma: number | undefined;
  let lineEnd: number | undefined;
  let before = end;
  for (let token = scanner.scan(); ; token = scanner.scan()) {
    const isComment = token === lineComment || token === blockComment;
    if (token === lineBreak) lineEnd ??= before;
    else if (token === commaToken) comma = scanner.getPosition();
    else if (token !== blank && !isComment) break;
    // A comma below a comment: what is put in has to stand behind it.
    if (token === commaToken) lineEnd = undefined;
    if (isComment || token === commaToken) before = scanner.getPosition();
  }
  const at = { lineEnd: lineEnd ?? (comma === undefined ? end : comma) };
  return comma === undefined ? at : { ...at, comma };
}

/** Kinds of tokens, by the numbers of the library's `SyntaxKind`, which this compilation may not name. */
const [commaToken, lineComment, blockComment, lineBreak, blank] = [5, 12, 13, 14, 15];
