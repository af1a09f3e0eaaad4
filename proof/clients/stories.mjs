import { createHash } from "node:crypto";
import { runForeign } from "./foreign-writers.mjs";
import { changedIn, onlyAnswer, patchCall, readCall, shownIn } from "./model.mjs";
import { toolAnswers, toolNames } from "./scripted-gemini.mjs";

/**
 * What the model does, and what has to be true then: of the bytes on disk, and of what the model was sent.
 *
 * @typedef {import("./gemini-cli.mjs").Told} Told
 * @typedef {{ readonly files: Readonly<Record<string, string | Uint8Array>>,
 *   turns(project: string): readonly import("./scripted-gemini.mjs").Turn[],
 *   breaches(told: Told): Readonly<Record<string, number>> }} Story
 */

const start = 'const wait = 2000;\nconst tries = 3;\nconst host = "one";\n';
const [tries, moreTries] = ["const tries = 3;", "const tries = 5;"];
const [host, nextHost] = ['const host = "one";', 'const host = "two";'];
/** Our tools, in the order in which the server lists them. */
export const ourTools = [
  ...["read_file", "read_many_files", "list_files", "search_files", "edit_file", "safe_patch", "write_file"],
  ...["append_to_file", "update_section", "move_file", "delete_file", "undo_edit"],
];

/** Reads, patches, patches again from what is known; meanwhile somebody changes the file. @param {string} foreign @returns {Story} */
export function staleStory(foreign) {
  const merged = 'const wait = 3000;\nconst tries = 5;\nconst host = "two";\n';
  const known = start.replace(host, nextHost);
  const met = 'const wait = 3000;\nconst tries = 3;\nconst host = "two";\n';
  return {
    files: { "net.ts": start },
    turns: (project) => [
      () => [readCall("net.ts")],
      (request) => [patchCall("net.ts", shownIn(onlyAnswer(request)), host, nextHost)],
      (request) => {
        const { sha256 } = shownIn(onlyAnswer(request));
        runForeign(foreign, project);
        return [patchCall("net.ts", { sha256, text: known }, tries, moreTries)];
      },
      (request) => [patchCall("net.ts", changedIn(onlyAnswer(request), known), tries, moreTries)],
    ],
    breaches: (told) => {
      const [read = "", patched = "", refused = "", recovered = ""] = answersOf(told);
      const offered = toolNames(told.requests[0] ?? {}).join();
      return {
        "foreign write lost": count(!told.bytes("net.ts").includes("3000")),
        "wrong bytes": count(!told.bytes("net.ts").equals(Buffer.from(merged))),
        "false success": count(!has(refused, "FAILED (state_mismatch): State Mismatch")),
        "stale state": count(
          !has(read, sha256(start), start) ||
            !has(patched, "OK (applied)", sha256(known)) ||
            !has(refused, sha256(met), "\n+const wait = 3000;\n") ||
            !has(recovered, "OK (applied)", sha256(merged)),
        ),
        "broken run":
          broken(told, 5) + count(offered !== ourTools.map((name) => `mcp_holdfast_${name}`).join()),
      };
    },
  };
}

/** Two changes of one file, made against one state, in one turn: the client sends both at once. @returns {Story} */
export function togetherStory() {
  const merged = start.replace(tries, moreTries).replace(host, nextHost);
  const wishes = [
    [tries, moreTries],
    [host, nextHost],
  ];
  /** @param {import("./model.mjs").Shown} shown @param {readonly string[][]} wanted */
  const calls = (shown, wanted) =>
    wanted.map(([line = "", next = ""]) => patchCall("net.ts", shown, line, next));
  return {
    files: { "net.ts": start },
    turns: () => [
      () => [readCall("net.ts")],
      (request) => calls(shownIn(onlyAnswer(request)), wishes),
      (request) => {
        const failed = toolAnswers(request).findIndex((answer) => has(answer, "FAILED"));
        const shown = changedIn(toolAnswers(request)[failed] ?? "", start);
        return calls(shown, wishes.slice(failed, failed + 1));
      },
    ],
    breaches: (told) => {
      const [, first = "", second = "", again = ""] = answersOf(told);
      const [one = "", other = ""] = [first, second].toSorted();
      return {
        "foreign write lost": 0,
        "wrong bytes": count(!told.bytes("net.ts").equals(Buffer.from(merged))),
        "false success": count(has(one, "OK (applied)") === has(other, "OK (applied)")),
        "stale state": count(!has(again, "OK (applied)", sha256(merged))),
        "broken run": broken(told, 4),
      };
    },
  };
}

/** A file that is no UTF-8 and has lines that end with CRLF: one line is changed. @returns {Story} */
export function bytesStory() {
  return {
    files: { "menu.txt": legacy },
    turns: () => [
      () => [readCall("menu.txt")],
      (request) => [patchCall("menu.txt", shownIn(onlyAnswer(request)), "tea 2", "tea 3")],
    ],
    breaches: (told) => ({
      "foreign write lost": 0,
      "wrong bytes": count(!told.bytes("menu.txt").equals(withTea("3"))),
      "false success": count(!has(answersOf(told)[1] ?? "", "OK (applied)")),
      "stale state": count(!has(answersOf(told)[1] ?? "", sha256(withTea("3")))),
      "broken run": broken(told, 3),
    }),
  };
}

/** The model overwrites a file that it never saw, then looks, and then overwrites it. @returns {Story} */
export function blindStory() {
  return {
    files: { "net.ts": start },
    turns: () => [
      () => [overwrite({})],
      () => [readCall("net.ts")],
      (request) => [overwrite({ base_content_sha256: shownIn(onlyAnswer(request)).sha256 })],
    ],
    breaches: (told) => {
      const [blind = "", read = "", seen = ""] = answersOf(told);
      return {
        "foreign write lost": count(!has(read, start)),
        "wrong bytes": count(!told.bytes("net.ts").equals(Buffer.from("new\n"))),
        "false success": count(!has(blind, "FAILED (missing_base)")),
        "stale state": count(!has(blind, sha256(start)) || !has(seen, "OK (applied)", sha256("new\n"))),
        "broken run": broken(told, 4),
      };
    },
  };
}

/** "caf\xe9 1\r\ntea 2\r\n…" in Latin-1. */
const legacy = Buffer.from("caf\xe9 1\r\ntea 2\r\ncr\xeape 3\r\n", "latin1");

/** @param {string} price */
export function withTea(price) {
  return Buffer.from(legacy.toString("latin1").replace("tea 2", `tea ${price}`), "latin1");
}

/** @param {Readonly<Record<string, string>>} base */
function overwrite(base) {
  return { call: "mcp_holdfast_write_file", args: { file_path: "net.ts", content: "new\n", ...base } };
}

/** Every answer of a tool that the model was sent, in order. @param {Told} told */
export function answersOf({ requests }) {
  return requests.slice(1).flatMap(toolAnswers);
}

/** Whether the model was shown all of this, letter by letter. @param {string} answer @param {readonly string[]} parts */
function has(answer, ...parts) {
  return parts.every((part) => answer.includes(part));
}

/** A run that did not go to its end, or went otherwise than the script. @param {Told} told @param {number} requests */
function broken(told, requests) {
  return count(told.exit !== 0) + told.faults.length + count(told.requests.length !== requests);
}

/** @param {boolean} breach */
export function count(breach) {
  return breach ? 1 : 0;
}

/** @param {string | Uint8Array} content */
export function sha256(content) {
  return createHash("sha256").update(content).digest("hex");
}
