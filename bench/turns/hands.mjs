import { join } from "node:path";

/**
 * What a contender calls for each wish of a task, and how its answers are read. The wishes and their order are
 * the same for all (`tasks.mjs`); a hand only knows the tools.
 *
 * @typedef {import("../../proof/clients/any-client.mjs").Part} Part
 * @typedef {{ readonly file: string, readonly old: string, readonly next: string, readonly all?: boolean,
 *   readonly lines?: readonly string[], readonly anew?: { readonly old: string, readonly next: string } }} Edit
 *   `all`: every place of `old`, which stands on `lines`. `anew`: the edit as it is made once the foreign change is known.
 * @typedef {Generator<readonly Part[], void, readonly string[]>} Work
 * @typedef {object} Hand
 * @property {(file: string, window?: { readonly from: number, readonly count: number }) => Part} read
 * @property {(files: readonly string[]) => readonly Part[]} readAll several small files, in one turn
 * @property {(first: string, total: number) => readonly Part[]} rest the calls for what a first read of `src/large.ts` did not show
 * @property {(edit: Edit) => Part} edit
 * @property {(answer: string) => boolean} failed
 * @property {(answer: string) => boolean} showsState whether a refusal holds what the model has to know
 * @property {(file: string, answer: string) => void} learn what an answer says of the state
 * @property {(word: string) => { readonly calls: readonly Part[], readonly shows: "lines" | "names" }} search
 * @property {boolean} readsFirst whether the tool demands a read before an edit
 * @property {(file: string, content: string) => readonly (readonly Part[])[]} create turn by turn
 * @property {((file: string) => Part) | undefined} remove
 * @property {(edit: Edit) => Part} undo
 * @property {((command: string) => Part) | undefined} shell
 */

/** Ours, with the hash that the last answer named where the tool demands one. @param {(tool: string) => string} name @returns {Hand} */
export function oursHand(name) {
  /** @type {Map<string, string>} */
  const hashes = new Map();
  const call = (/** @type {string} */ tool, /** @type {Readonly<Record<string, unknown>>} */ args) => ({
    call: name(tool),
    args,
  });
  const base = (/** @type {string} */ file) => {
    const sha256 = hashes.get(file);
    return sha256 === undefined ? {} : { base_content_sha256: sha256 };
  };
  const read = (
    /** @type {string} */ file,
    /** @type {{ readonly from: number, readonly count: number } | undefined} */ window = undefined,
  ) =>
    call("read_file", {
      file_path: file,
      ...(window === undefined ? {} : { offset: window.from, limit: window.count }),
    });
  return {
    read,
    readAll: (files) => [call("read_many_files", { paths: files })],
    rest: (first, total) => {
      const shown = Number(/ lines="1-(\d+)"/.exec(first)?.[1] ?? total);
      return rest(shown, total).map((window) => read("src/large.ts", window));
    },
    edit: ({ file, old, next, all }) =>
      call("edit_file", {
        file_path: file,
        edits: [{ old_string: old, new_string: next, ...(all ? { replace_all: true } : {}) }],
      }),
    failed: (answer) => /^(<untrusted_context>\n)?FAILED/.test(answer),
    showsState: (answer) => /What changed since your base:|^<file [^\n]*end="/m.test(answer),
    learn: (file, answer) => {
      for (const [, path, sha256 = ""] of answer.matchAll(/<file path="([^"]+)"[^\n]*? sha256="(\w+)"/g))
        hashes.set(path ?? file, sha256);
    },
    search: (word) => ({ calls: [call("search_files", { pattern: word })], shows: "lines" }),
    readsFirst: true,
    create: (file, content) => [[call("write_file", { file_path: file, content })]],
    remove: (file) => call("delete_file", { file_path: file, ...base(file) }),
    undo: ({ file }) => call("undo_edit", { file_path: file }),
    shell: (command) => call("run_shell_command", { command }),
  };
}

/** The official filesystem server: its edits replace the first place, it searches names only. @param {(tool: string) => string} name @param {string} project @returns {Hand} */
export function officialHand(name, project) {
  const path = (/** @type {string} */ file) => join(project, file);
  const call = (/** @type {string} */ tool, /** @type {Readonly<Record<string, unknown>>} */ args) => ({
    call: name(tool),
    args,
  });
  const edit = (/** @type {Edit} */ { file, old, next, lines }) => {
    const edits = (lines ?? [old]).map((line) => ({
      oldText: line,
      newText: lines === undefined ? next : line.replaceAll(old, next),
    }));
    return call("edit_file", { path: path(file), edits });
  };
  return {
    read: (file, window) =>
      call("read_text_file", {
        path: path(file),
        ...(window === undefined ? {} : { head: window.from + window.count - 1 }),
      }),
    readAll: (files) => [call("read_multiple_files", { paths: files.map(path) })],
    // It has no window but the first and the last lines; what a client cuts is asked for in pieces from both ends.
    rest: (first, total) => {
      if (first.includes("setting1125 ")) return [];
      const cut = first.includes(`setting${total - 1} `);
      if (!cut)
        return [
          call("read_text_file", { path: path("src/large.ts"), head: total / 2 }),
          call("read_text_file", { path: path("src/large.ts"), tail: total / 2 + 1 }),
        ];
      const known = [...first.matchAll(/setting(\d+) /g)].map(([, n]) => Number(n));
      const gap = known.findIndex((n, at) => at > 0 && n !== (known[at - 1] ?? 0) + 1);
      const [from = 0, to = total] = [known[gap - 1], known[gap]];
      // The client shows the last 32,000 characters of what it cuts, some 650 lines.
      return Array.from({ length: Math.ceil((to - from) / 650) }, (_, at) =>
        call("read_text_file", { path: path("src/large.ts"), head: to - at * 650 + 1 }),
      );
    },
    edit,
    failed: (answer) => /Error|error:|Could not find/i.test(answer.slice(0, 120)),
    showsState: () => false,
    learn: () => {},
    search: () => ({
      calls: [call("search_files", { path: path("src"), pattern: "**/*.ts" })],
      shows: "names",
    }),
    readsFirst: false,
    create: (file, content) => [
      [call("create_directory", { path: path(join(file, "..")) })],
      [call("write_file", { path: path(file), content })],
    ],
    remove: undefined,
    undo: ({ file, old, next }) => edit({ file, old: next, next: old }),
    shell: undefined,
  };
}

/** Claude Code's own tools; it searches with its shell. @param {string} project @returns {Hand} */
export function claudeHand(project) {
  const path = (/** @type {string} */ file) => join(project, file);
  const read = (
    /** @type {string} */ file,
    /** @type {{ readonly from: number, readonly count: number } | undefined} */ window = undefined,
  ) => ({
    call: "Read",
    args: {
      file_path: path(file),
      ...(window === undefined ? {} : { offset: window.from, limit: window.count }),
    },
  });
  const bash = (/** @type {string} */ command, /** @type {string} */ description) => ({
    call: "Bash",
    args: { command, description },
  });
  const edit = (/** @type {Edit} */ { file, old, next, all }) => ({
    call: "Edit",
    args: {
      file_path: path(file),
      old_string: old,
      new_string: next,
      ...(all ? { replace_all: true } : {}),
    },
  });
  return {
    read,
    readAll: (files) => files.map((file) => read(file)),
    rest: (first, total) => pages(first, total).map((window) => read("src/large.ts", window)),
    edit,
    failed: (answer) => answer.includes("<tool_use_error>") || /^(Error|File has)/.test(answer),
    showsState: () => false,
    learn: () => {},
    search: (word) => ({
      calls: [bash(`grep -rn "${word}" src`, `Search for ${word}`)],
      shows: "lines",
    }),
    readsFirst: true,
    create: (file, content) => [[{ call: "Write", args: { file_path: path(file), content } }]],
    remove: (file) => bash(`rm ${file}`, `Delete ${file}`),
    undo: ({ file, old, next }) => edit({ file, old: next, next: old }),
    shell: (command) => bash(command, "Check the work"),
  };
}

/** Gemini CLI's own tools. @returns {Hand} */
export function geminiHand() {
  const read = (
    /** @type {string} */ file,
    /** @type {{ readonly from: number, readonly count: number } | undefined} */ window = undefined,
  ) => ({
    call: "read_file",
    args: {
      file_path: file,
      ...(window === undefined ? {} : { start_line: window.from, end_line: window.from + window.count - 1 }),
    },
  });
  const edit = (/** @type {Edit} */ { file, old, next, all }) => ({
    call: "replace",
    args: {
      file_path: file,
      instruction: "Make the change that was asked for.",
      old_string: old,
      new_string: next,
      ...(all ? { allow_multiple: true } : {}),
    },
  });
  return {
    read,
    readAll: (files) => files.map((file) => read(file)),
    rest: (first, total) => pages(first, total).map((window) => read("src/large.ts", window)),
    edit,
    failed: (answer) => /^(Error|Failed)/.test(answer),
    showsState: () => false,
    learn: () => {},
    search: (word) => ({
      calls: [{ call: "grep_search", args: { pattern: word, dir_path: "src" } }],
      shows: "lines",
    }),
    readsFirst: false,
    create: (file, content) => [[{ call: "write_file", args: { file_path: file, content } }]],
    remove: (file) => ({
      call: "run_shell_command",
      args: { command: `rm ${file}`, description: `Delete ${file}` },
    }),
    undo: ({ file, old, next }) => edit({ file, old: next, next: old }),
    shell: (command) => ({
      call: "run_shell_command",
      args: { command, description: "Check the work" },
    }),
  };
}

/** The windows that are missing after a first read of all, or both halves of a file that was refused. @param {string} first @param {number} total */
function pages(first, total) {
  const shown = [...first.matchAll(/setting(\d+) /g)].map(([, n]) => Number(n)).at(-1);
  const half = Math.ceil(total / 2);
  if (shown !== undefined) return rest(shown + 1, total);
  return [
    { from: 1, count: half },
    { from: half + 1, count: half },
  ];
}

/** What follows the lines that were shown, in pages a little smaller than these: later lines may be longer. @param {number} shown @param {number} total */
function rest(shown, total) {
  const count = Math.floor(shown * 0.9);
  return Array.from({ length: Math.ceil((total - shown) / count) }, (_, at) => ({
    from: shown + at * count + 1,
    count,
  }));
}
