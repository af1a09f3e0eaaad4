/**
 * What a client of the official filesystem server does in one session, `{root}` standing for its folder:
 * every tool once at least, and the arguments that its schemas have. Each step is sent after the answer to
 * the one before.
 *
 * @typedef {{ readonly name: string, readonly arguments: Readonly<Record<string, unknown>> }} Call
 */

/** The folder before the session. @type {Readonly<Record<string, string>>} */
export const folder = {
  "README.md": "# Shop\n\nSells tea.\n",
  "src/shop.js":
    "const price = 2;\nconst name = 'tea';\n\nfunction sell(count) {\n  return price * count;\n}\n",
  "src/till.js": "let sum = 0;\n",
  "src/lib/tax.js": "export const tax = 0.2;\n",
  "logo.png": "\u0089PNG",
  "notes.bin": "\u0000\u0001",
};

/** @param {string} name @param {Record<string, unknown>} [args] @returns {Call} */
const call = (name, args = {}) => ({ name, arguments: args });

/** @type {readonly Call[]} */
export const calls = [
  call("list_allowed_directories"),
  call("list_directory", { path: "{root}" }),
  call("list_directory", { path: "{root}/src" }),
  call("list_directory_with_sizes", { path: "{root}/src" }),
  call("list_directory_with_sizes", { path: "{root}", sortBy: "size" }),
  call("directory_tree", { path: "{root}" }),
  call("directory_tree", { path: "{root}", excludePatterns: ["lib"] }),
  call("directory_tree", { path: "{root}", excludePatterns: ["src/*.js"] }),
  call("search_files", { path: "{root}", pattern: "**/*.js" }),
  call("search_files", { path: "{root}", pattern: "*.md" }),
  call("search_files", { path: "{root}", pattern: "**/*.js", excludePatterns: ["src/lib"] }),
  call("search_files", { path: "{root}/src", pattern: "none*" }),
  call("read_text_file", { path: "{root}/README.md" }),
  call("read_file", { path: "{root}/README.md" }),
  call("read_text_file", { path: "{root}/src/shop.js", head: 2 }),
  call("read_text_file", { path: "{root}/src/shop.js", tail: 3 }),
  call("read_text_file", { path: "{root}/src/shop.js", head: 99 }),
  call("read_text_file", { path: "{root}/src/shop.js", tail: 99 }),
  call("read_text_file", { path: "README.md" }),
  call("read_multiple_files", { paths: ["{root}/README.md", "{root}/src/till.js"] }),
  call("read_media_file", { path: "{root}/logo.png" }),
  call("read_media_file", { path: "{root}/notes.bin" }),
  call("get_file_info", { path: "{root}/src/shop.js" }),
  call("get_file_info", { path: "{root}/src" }),
  call("create_directory", { path: "{root}/docs/old" }),
  call("create_directory", { path: "{root}/docs/old" }),
  call("write_file", { path: "{root}/docs/new.md", content: "# New\n" }),
  call("read_text_file", { path: "{root}/docs/new.md" }),
  call("write_file", { path: "{root}/docs/new.md", content: "# Newer\n" }),
  call("write_file", { path: "{root}/README.md", content: "# Shop\n\nSells tea and cake.\n" }),
  call("edit_file", {
    path: "{root}/src/shop.js",
    edits: [{ oldText: "const price = 2;", newText: "const price = 3;" }],
    dryRun: true,
  }),
  call("edit_file", {
    path: "{root}/src/shop.js",
    edits: [
      { oldText: "const price = 2;", newText: "const price = 3;" },
      { oldText: "price * count;", newText: "price * count * 1.2;" },
    ],
  }),
  call("edit_file", {
    path: "{root}/src/shop.js",
    edits: [
      {
        oldText: "function sell(count) {\n  return",
        newText: "function sell(count) {\n  // with tax\n  return",
      },
    ],
  }),
  call("read_text_file", { path: "{root}/src/shop.js" }),
  call("edit_file", {
    path: "{root}/src/lib/tax.js",
    edits: [{ oldText: "0.2", newText: "`0.25`" }],
    dryRun: false,
  }),
  call("edit_file", { path: "{root}/src/till.js", edits: [{ oldText: "sum = 9", newText: "sum = 1" }] }),
  call("move_file", { source: "{root}/src/till.js", destination: "{root}/src/cash.js" }),
  call("move_file", { source: "{root}/src/cash.js", destination: "{root}/README.md" }),
  call("read_text_file", { path: "{root}/src/cash.js" }),
  call("write_file", { path: "{root}/src/cash.js", content: "let sum = 1;\n" }),
  call("read_text_file", { path: "{root}/none.txt" }),
  call("read_multiple_files", { paths: ["{root}/none.txt", "{root}/src/cash.js"] }),
  call("read_text_file", { path: "/etc/hostname" }),
  call("read_text_file", { path: "{root}/README.md", head: 1, tail: 1 }),
  call("write_file", { path: "{root}/README.md" }),
  call("list_directory", { path: "{root}/none" }),
];

/**
 * Where bytes are lost: a file as bytes, what a client that has read it then does, and what somebody else
 * does before that. The calls of `together` go out at once.
 *
 * @typedef {{ readonly about: string, readonly bytes: string, readonly read: boolean, readonly meanwhile?: string,
 *   readonly calls: readonly Call[], readonly together?: true, readonly wanted: string }} LossCase
 *   `bytes`, `meanwhile` and `wanted` in base64: the file before, as somebody left it, and as it is to be then
 */

/** @param {string | readonly number[]} content */
const base64 = (content) =>
  (typeof content === "string" ? Buffer.from(content) : Buffer.from(content)).toString("base64");
const file = "{root}/a.txt";
/** @param {string} oldText @param {string} newText */
const edit = (oldText, newText) => call("edit_file", { path: file, edits: [{ oldText, newText }] });

/** @type {readonly LossCase[]} */
export const losses = [
  {
    about: "one line of a file with CRLF is edited",
    bytes: base64("one\r\ntwo\r\nthree\r\n"),
    read: true,
    calls: [edit("two", "TWO")],
    wanted: base64("one\r\nTWO\r\nthree\r\n"),
  },
  {
    about: "one line of a file with mixed endings is edited",
    bytes: base64("one\r\ntwo\nthree\r\n"),
    read: true,
    calls: [edit("two", "TWO")],
    wanted: base64("one\r\nTWO\nthree\r\n"),
  },
  {
    about: "a file with a byte order mark is overwritten with the text that was read",
    bytes: base64("\ufeffone\n"),
    read: true,
    calls: [call("write_file", { path: file, content: "one\ntwo\n" })],
    wanted: base64("\ufeffone\ntwo\n"),
  },
  {
    about: "one line of a Latin-1 file is edited",
    bytes: base64([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x74, 0x65, 0x61, 0x0a]),
    read: true,
    calls: [edit("tea", "TEA")],
    wanted: base64([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x54, 0x45, 0x41, 0x0a]),
  },
  {
    about: "one line of a UTF-16 file is edited",
    bytes: base64([0xff, 0xfe, 0x61, 0, 0x0a, 0, 0x62, 0, 0x0a, 0]),
    read: true,
    calls: [edit("b", "c")],
    wanted: base64([0xff, 0xfe, 0x61, 0, 0x0a, 0, 0x63, 0, 0x0a, 0]),
  },
  {
    about: "the old text stands in the file twice",
    bytes: base64("retries = 3\n[other]\nretries = 3\n"),
    read: true,
    calls: [edit("retries = 3", "retries = 5")],
    wanted: base64("retries = 3\n[other]\nretries = 3\n"),
  },
  {
    about: "the old text is there but for its blanks, in another block",
    bytes: base64("if a:\n        stop()\nif b:\n    stop()\n"),
    read: true,
    calls: [edit("if b:\n        stop()", "if b:\n        go()")],
    wanted: base64("if a:\n        stop()\nif b:\n    stop()\n"),
  },
  {
    about: "a file that was never read is overwritten",
    bytes: base64("a year of work\n"),
    read: false,
    calls: [call("write_file", { path: file, content: "hello\n" })],
    wanted: base64("a year of work\n"),
  },
  {
    about: "a file that somebody changed since the read is overwritten",
    bytes: base64("one\n"),
    read: true,
    meanwhile: base64("one\nof somebody else\n"),
    calls: [call("write_file", { path: file, content: "one\ntwo\n" })],
    wanted: base64("one\nof somebody else\n"),
  },
  {
    about: "a file that somebody changed since the read is edited",
    bytes: base64("wait = 2\n"),
    read: true,
    meanwhile: base64("wait = 2\nunit = 'minutes'\n"),
    calls: [edit("wait = 2", "wait = 90")],
    wanted: base64("wait = 2\nunit = 'minutes'\n"),
  },
  {
    about: "eight edits of different lines are sent at once",
    bytes: base64("0\n1\n2\n3\n4\n5\n6\n7\n"),
    read: true,
    together: true,
    calls: Array.from({ length: 8 }, (_, at) => edit(`${at}\n`, `line ${at}\n`)),
    wanted: base64(Array.from({ length: 8 }, (_, at) => `line ${at}\n`).join("")),
  },
];
