/**
 * What a call does with a file, as far as its arguments tell, whatever program recorded it.
 *
 * @typedef {{ readonly kind: "read", readonly path: string, readonly range: string }
 *   | { readonly kind: "edit", readonly path: string, readonly edits: readonly Replaced[] }
 *   | { readonly kind: "write", readonly path: string, readonly text: string }} FileUse
 * @typedef {{ readonly before: string, readonly after: string }} Replaced
 */

const reads = new Set(["read", "read_file", "view", "read_text_file"]);
const edits = new Set([
  "edit",
  "edit_file",
  "replace",
  "str_replace",
  "multiedit",
  "safe_patch",
  "update_section",
  "append_to_file",
  "prepend_to_file",
  "insert",
]);
const writes = new Set(["write", "write_file", "create", "create_file"]);

/**
 * The use of one file; undefined for any other call, such as a shell command.
 *
 * @param {string} name of the tool
 * @param {Readonly<Record<string, unknown>>} args
 * @returns {FileUse | undefined}
 */
export function fileUseOf(name, args) {
  const tool = name.toLowerCase();
  const path = firstText(args, ["path", "file_path", "filePath", "absolute_path", "filename"]);
  if (path === undefined) return undefined;
  if (reads.has(tool)) return { kind: "read", path, range: rangeOf(args) };
  if (edits.has(tool)) return { kind: "edit", path, edits: replacedIn(args) };
  if (writes.has(tool)) return { kind: "write", path, text: firstText(args, ["content", "text"]) ?? "" };
  return undefined;
}

/** Empty for the whole file. @param {Readonly<Record<string, unknown>>} args */
function rangeOf(args) {
  const names = ["offset", "limit", "start_line", "end_line", "from", "to", "view_range", "lines"];
  return names
    .flatMap((name) => (args[name] === undefined ? [] : [`${name}=${JSON.stringify(args[name])}`]))
    .join();
}

/** @param {Readonly<Record<string, unknown>>} args @returns {readonly Replaced[]} */
function replacedIn(args) {
  const many = Array.isArray(args.edits) ? args.edits : [args];
  return many.flatMap((one) => {
    if (typeof one !== "object" || one === null) return [];
    const before = firstText(one, ["old_string", "oldText", "old_str", "old_text"]);
    const after = firstText(one, ["new_string", "newText", "new_str", "new_text"]);
    return before === undefined || after === undefined ? [] : [{ before, after }];
  });
}

/** @param {Readonly<Record<string, unknown>>} args @param {readonly string[]} names */
function firstText(args, names) {
  for (const name of names) {
    const value = args[name];
    if (typeof value === "string") return value;
  }
  return undefined;
}
