import { sha256 } from "./stories.mjs";

/**
 * A day's work of a model with our tools, told to every client alike. What it calls follows from what it was
 * sent; what it was sent is held, letter by letter, against what has to be said.
 *
 * @typedef {import("./any-client.mjs").Part} Part
 * @typedef {{ readonly tool: string, readonly args: Readonly<Record<string, unknown>> } | { readonly own: Part }} Call
 *   of one of our tools, or of the client's own
 * @typedef {{ disk(name: string): string | undefined, foreign(name: string, change: (text: string) => string): void,
 *   breach(what: string, found: string): void, see(what: string): void,
 *   readonly own: import("./any-client.mjs").OwnTools, readonly offered: readonly import("./any-client.mjs").Offered[],
 *   label(label: string): void }} Desk `label`: what the next turn is about
 * @typedef {Generator<readonly Call[], void, readonly string[]>} Stretch yields the calls of a turn, gets the answers
 * @typedef {{ readonly figure: string, readonly what: string, work(desk: Desk): Stretch }} Figure
 */

const lines = (/** @type {number} */ count, /** @type {(n: number) => string} */ line) =>
  Array.from({ length: count }, (_, n) => `${line(n)}\n`).join("");
const small = lines(60, (n) => `const value${n} = ${n}; // kept`);
// Some letters of it have two bytes: clients count characters or bytes.
const large = lines(2_250, (n) => `export const setting${n} = ${n * 7}; // été`);

/** What the project holds before. */
export const dayFiles = {
  "edits.ts": small,
  "patches.ts": small,
  "whole.ts": large,
  "window.ts": large.replaceAll("setting", "option"),
  "old/name.ts": "export const name = 1;\n",
  "gone.ts": "export const gone = 1;\n",
};

/** @type {readonly Figure[]} */
export const figures = [
  {
    figure: "C8",
    what: "five parallel edits of one file with one hash, five parallel patches of another: five applied in one turn",
    work: parallelEdits,
  },
  {
    figure: "C9",
    what: "a file of 90 KB whole or in pages that add up to its bytes; what was not sent does not count as shown",
    work: largeRead,
  },
  {
    figure: "C10",
    what: "a mismatch after a read of 100 lines of 90 KB: the change, no more",
    work: windowedMismatch,
  },
  { figure: "C11", what: "`move_file`, `delete_file`, `undo_edit`", work: movesAndUndo },
];

/** With the hooks that `holdfast setup --guard` sets beside the server. @type {Figure} */
export const guardedFigure = {
  figure: "C13",
  what: "our tools and the client's own on one file, behind `holdfast guard`",
  work: mixedTools,
};

const places = [3, 13, 23, 33, 43];
const changed = (/** @type {string} */ text, /** @type {number} */ n) =>
  text.replace(`value${n} = ${n};`, `value${n} = 1${n};`);

/** @param {Desk} desk @returns {Stretch} */
function* parallelEdits(desk) {
  const base = { base_content_sha256: sha256(small) };
  const edits = places.map((n) => ({
    tool: "edit_file",
    args: {
      file_path: "edits.ts",
      edits: [{ old_string: `value${n} = ${n};`, new_string: `value${n} = 1${n};` }],
      ...base,
    },
  }));
  const patches = places.map((n) => {
    const unified_diff = `@@\n const value${n - 1} = ${n - 1}; // kept\n-const value${n} = ${n}; // kept\n+const value${n} = 1${n}; // kept\n`;
    return { tool: "safe_patch", args: { file_path: "patches.ts", unified_diff, ...base } };
  });
  for (const { file, calls } of [
    { file: "edits.ts", calls: edits },
    { file: "patches.ts", calls: patches },
  ]) {
    const [read = ""] = yield [readCall(file)];
    expectText(desk, read, frameOf(file, small));
    const answers = yield calls;
    let text = small;
    for (const [at, n] of places.entries()) {
      text = changed(text, n);
      const answer = answers[at] ?? "";
      if (!answer.startsWith("OK (applied): ")) desk.breach("refused edits", answer);
      // Calls of one turn are made in their order: each answer names the state that it made, that of a patch its lines.
      const lines = file === "patches.ts" ? [`const value${n} = 1${n}; // kept\n`] : [];
      for (const told of [sha256(text), ...lines])
        if (!answer.includes(told)) desk.breach("untrue answers", answer);
    }
    if (desk.disk(file) !== text) desk.breach("wrong bytes", desk.disk(file) ?? "");
    desk.see(`${bytesOf(answers)} B of answers to five calls of ${calls[0]?.tool}`);
  }
}

/** @param {Desk} desk @returns {Stretch} */
function* largeRead(desk) {
  const overwrite = {
    tool: "write_file",
    args: { file_path: "whole.ts", content: "short\n", base_content_sha256: sha256(large) },
  };
  const pages = [];
  let next = 1;
  while (next !== 0) {
    const window = next === 1 ? {} : { offset: next, limit: 2_250 };
    const [page = ""] = yield [readCall("whole.ts", window)];
    pages.push(contentOf(page));
    const shown = / lines="\d+-(\d+)"/.exec(page.slice(0, page.indexOf("\n")))?.[1];
    next = shown === undefined || shown === "2250" ? 0 : Number(shown) + 1;
    if (next === 0 || pages.length > 1) continue;
    const [early = ""] = yield [overwrite];
    const missing = `lines ${next}-2250 of it were not shown in this session`;
    if (!early.startsWith("FAILED (unseen_lines): ") || !early.includes(missing))
      desk.breach("counted as shown without having been sent", early);
  }
  if (pages.join("") !== large) desk.breach("bytes not sent", `${pages.join("").length} characters`);
  desk.see(`in ${pages.length} answer${pages.length === 1 ? "" : "s"}`);
  const [written = ""] = yield [overwrite];
  expectText(
    desk,
    written,
    `OK (applied): File overwritten (lines: 2250 before, 1 now).\n<file path="whole.ts" version="n" sha256="${sha256("short\n")}" total_lines="1" shown="no"/>`,
  );
  const [undone = ""] = yield [{ tool: "undo_edit", args: { file_path: "whole.ts" } }];
  if (!undone.includes(sha256(large))) desk.breach("untrue answers", undone);
  if (desk.disk("whole.ts") !== large) desk.breach("wrong bytes", "whole.ts");
}

/** @param {Desk} desk @returns {Stretch} */
function* windowedMismatch(desk) {
  const base = dayFiles["window.ts"];
  const [page = ""] = yield [readCall("window.ts", { offset: 1, limit: 100 })];
  if (contentOf(page) !== base.split("\n").slice(0, 100).join("\n").concat("\n"))
    desk.breach("bytes not sent", page);
  // Others write on the line of the edit, too: past a change of other lines it may be made.
  const foreign = (/** @type {string} */ text) =>
    text.replace("option50 = 350;", "option50 = 350; //").replace("option2000 = 14000;", "option2000 = 1;");
  desk.foreign("window.ts", foreign);
  const edit = (/** @type {string} */ state) => ({
    tool: "edit_file",
    args: {
      file_path: "window.ts",
      edits: [{ old_string: "option50 = 350;", new_string: "option50 = 351;" }],
      base_content_sha256: sha256(state),
    },
  });
  const met = foreign(base);
  const [refused = ""] = yield [edit(base)];
  desk.see(`${Buffer.byteLength(refused)} B`);
  const change = [
    "What changed since your base:",
    "@@ -50,3 +50,3 @@",
    " export const option49 = 343; // été",
    "-export const option50 = 350; // été",
    "+export const option50 = 350; // // été",
    " export const option51 = 357; // été",
    "@@ -2000,3 +2000,3 @@",
    " export const option1999 = 13993; // été",
    "-export const option2000 = 14000; // été",
    "+export const option2000 = 1; // été",
    " export const option2001 = 14007; // été",
    `<file path="window.ts" version="n" sha256="${sha256(met)}" total_lines="2250" shown="no"/>`,
  ].join("\n");
  if (!refused.startsWith("FAILED (state_mismatch): State Mismatch: ")) desk.breach("false success", refused);
  if (!withoutVersion(refused).includes(change)) desk.breach("untrue answers", refused);
  if (refused.length > 1_200) desk.breach("more than the change", refused);
  const [again = ""] = yield [edit(met)];
  const wanted = met.replace("option50 = 350;", "option50 = 351;");
  if (!again.startsWith("OK (applied): ") || !again.includes(sha256(wanted)))
    desk.breach("refused edits", again);
  if (desk.disk("window.ts") !== wanted) desk.breach("wrong bytes", "window.ts");
}

/** @param {Desk} desk @returns {Stretch} */
function* movesAndUndo(desk) {
  const [name, gone] = [dayFiles["old/name.ts"], dayFiles["gone.ts"]];
  const [first = "", second = ""] = yield [readCall("old/name.ts"), readCall("gone.ts")];
  expectText(desk, first, frameOf("old/name.ts", name));
  expectText(desk, second, frameOf("gone.ts", gone));
  const move = { file_path: "old/name.ts", to: "new/folder/name.ts", base_content_sha256: sha256(name) };
  const [moved = "", deleted = ""] = yield [
    { tool: "move_file", args: move },
    { tool: "delete_file", args: { file_path: "gone.ts", base_content_sha256: sha256(gone) } },
  ];
  if (!moved.startsWith("OK (applied): ") || !deleted.startsWith("OK (applied): "))
    desk.breach("refused edits", `${moved}\n${deleted}`);
  const after = ["old/name.ts", "new/folder/name.ts", "gone.ts"].map(desk.disk);
  if (JSON.stringify(after) !== JSON.stringify([undefined, name, undefined]))
    desk.breach("wrong bytes", JSON.stringify(after));
  const [back = "", home = ""] = yield [
    { tool: "undo_edit", args: { file_path: "gone.ts" } },
    { tool: "undo_edit", args: { file_path: "new/folder/name.ts" } },
  ];
  if (!back.startsWith("OK (applied): ") || !back.includes(sha256(gone))) desk.breach("refused edits", back);
  if (!home.startsWith("OK (applied): ") || !home.includes("new/folder/name.ts, old/name.ts"))
    desk.breach("refused edits", home);
  const restored = ["old/name.ts", "new/folder/name.ts", "gone.ts"].map(desk.disk);
  if (JSON.stringify(restored) !== JSON.stringify([name, undefined, gone]))
    desk.breach("wrong bytes", JSON.stringify(restored));
}

/**
 * The guard knows what ours wrote and lets the client's own edit pass; a foreign change in between is met with
 * what changed, and the edit made again passes.
 *
 * @param {Desk} desk @returns {Stretch}
 */
function* mixedTools(desk) {
  const edit = { old_string: "value3 = 3;", new_string: "value3 = 13;" };
  yield [{ own: desk.own.read("edits.ts") }, readCall("edits.ts")];
  const [ours = ""] = yield [
    { tool: "edit_file", args: { file_path: "edits.ts", edits: [edit], base_content_sha256: sha256(small) } },
  ];
  if (!ours.startsWith("OK (applied): ")) desk.breach("refused edits", ours);
  const [known = ""] = yield [{ own: desk.own.edit("edits.ts", "value13 = 13;", "value13 = 113;") }];
  const both = [3, 13].reduce(changed, small);
  if (desk.disk("edits.ts") !== both) desk.breach("refused edits", known);
  desk.foreign("edits.ts", (text) => changed(text, 23));
  const again = { own: desk.own.edit("edits.ts", "value33 = 33;", "value33 = 133;") };
  const [refused = ""] = yield [again];
  const met = changed(both, 23);
  if (desk.disk("edits.ts") !== met) desk.breach("false success", refused);
  if (!refused.includes("State Mismatch: File has changed on disk") || !refused.includes("value23 = 123;"))
    desk.breach("untrue answers", refused);
  const [passed = ""] = yield [again];
  if (desk.disk("edits.ts") !== changed(met, 33)) desk.breach("refused edits", passed);
}

/** @param {string} file @param {Readonly<Record<string, number>>} [window] */
function readCall(file, window = {}) {
  return { tool: "read_file", args: { file_path: file, ...window } };
}

/** The whole answer to a read of the whole file. @param {string} path @param {string} text */
function frameOf(path, text) {
  const total = text.split("\n").length - 1;
  return `<file path="${path}" version="n" sha256="${sha256(text)}" total_lines="${total}" end="</file>">\n${text}</file>`;
}

/** The text between the header and its marker. @param {string} answer */
function contentOf(answer) {
  const end = /\bend="([^"]*)"/.exec(answer.slice(0, answer.indexOf("\n")))?.[1] ?? "";
  return end === "" ? "" : answer.slice(answer.indexOf("\n") + 1, answer.lastIndexOf(end));
}

/** @param {Desk} desk @param {string} answer @param {string} wanted */
function expectText(desk, answer, wanted) {
  if (withoutVersion(answer) !== wanted) desk.breach("untrue answers", answer);
}

/** Versions count all answers of a session: advice that a client's own calls may move. @param {string} answer */
function withoutVersion(answer) {
  return answer.replaceAll(/ version="\d+"/g, ' version="n"');
}

/** @param {readonly string[]} answers */
function bytesOf(answers) {
  return answers.reduce((sum, answer) => sum + Buffer.byteLength(answer), 0).toLocaleString("en");
}
