import { writeFileSync } from "node:fs";
import { runClaude } from "./claude-code.mjs";
import { foreignWriters, runForeign } from "./foreign-writers.mjs";
import { toolResults } from "./scripted-claude.mjs";
import { toolAnswers } from "./scripted-gemini.mjs";
import { answersOf, count, sha256 } from "./stories.mjs";

/**
 * The client's own tools behind `holdfast guard`: what the model does, and what has to be true then.
 *
 * @typedef {import("./gemini-cli.mjs").Told} Told
 * @typedef {import("./stories.mjs").Story} Story
 */

const start = "const wait = 2000;\nconst tries = 3;\n";
const met = start.replace("2000", "3000");
/** The change alone: what was read before is known. */
const changed = "-const wait = 2000;\n+const wait = 3000;\n";

/** @param {string} old_string @param {string} new_string */
const replace = (old_string, new_string) => [
  { call: "replace", args: { file_path: "net.ts", old_string, new_string, instruction: "as asked" } },
];
const read = [{ call: "read_file", args: { file_path: "net.ts" } }];

/**
 * Reads; somebody changes the file; a stale `replace`, which the client would match by likeness and so take
 * the other's change back, is refused with what changed. Made again from that it passes, and so does the
 * next one, on what is known.
 *
 * @returns {Story}
 */
export function guardedReplace() {
  const five = met.replace("3;", "5;");
  return {
    files: { "net.ts": start },
    turns: (project) => [
      () => read,
      () => {
        runForeign(foreignWriters["sed -i"] ?? "", project);
        return replace(start, start.replace("3;", "5;"));
      },
      () => replace("const tries = 3;", "const tries = 5;"),
      () => replace("const tries = 5;", "const tries = 7;"),
    ],
    breaches: (told) => {
      const [, refused = "", passed = "", again = ""] = answersOf(told);
      return {
        "foreign write lost": count(!told.bytes("net.ts").includes("3000")),
        "wrong bytes": count(told.bytes("net.ts").toString() !== five.replace("5;", "7;")),
        "false success": count(!refused.includes("State Mismatch: File has changed on disk")),
        "stale state": count(!refused.includes(changed) || !refused.includes(sha256(met))),
        "broken run": count(
          told.exit !== 0 || [passed, again].some((answer) => !answer.includes("Successfully")),
        ),
      };
    },
  };
}

/**
 * Overwrites a file that it never read: refused with the file; then, knowing it, it may. A new file is made
 * at once.
 *
 * @returns {Story}
 */
export function guardedOverwrite() {
  /** @param {string} file_path @param {string} content */
  const write = (file_path, content) => [{ call: "write_file", args: { file_path, content } }];
  return {
    files: { "net.ts": start },
    turns: () => [
      () => write("net.ts", "new\n"),
      (request) => {
        const shown = toolAnswers(request).join().includes(start);
        return shown ? write("net.ts", `${start}// new\n`) : [{ text: "nothing was shown" }];
      },
      () => write("other.ts", "made\n"),
      () => write("other.ts", "made again\n"),
    ],
    breaches: (told) => {
      const [refused = "", ...passed] = answersOf(told);
      const bytes = [told.bytes("net.ts").toString(), told.bytes("other.ts").toString()];
      return {
        "foreign write lost": 0,
        "wrong bytes": count(bytes.join() !== [`${start}// new\n`, "made again\n"].join()),
        "false success": count(!refused.includes("Not read: this session has not seen")),
        "stale state": count(!refused.includes(start) || !refused.includes(sha256(start))),
        "broken run": count(told.exit !== 0 || passed.length < 3),
      };
    },
  };
}

/**
 * The same of Claude Code's `Edit` and `Write`. Told with and without the guard, so that what the client does
 * by itself is seen beside it.
 *
 * @param {string} program
 * @param {boolean} guard
 */
export function editInClaude(program, guard) {
  /** @param {string} project @returns {readonly import("./scripted-claude.mjs").Turn[]} */
  const turns = (project) => {
    const file_path = `${project}/net.ts`;
    /** @param {string} old_string @param {string} new_string */
    const edit = (old_string, new_string) => [{ call: "Edit", args: { file_path, old_string, new_string } }];
    return [
      () => [{ call: "Read", args: { file_path } }],
      () => {
        runForeign(foreignWriters["sed -i"] ?? "", project);
        return edit("const tries = 3;", "const tries = 5;");
      },
      () => edit("const tries = 3;", "const tries = 5;"),
      () => edit("const tries = 5;", "const tries = 7;"),
      () => [{ call: "Write", args: { file_path: `${project}/unseen.ts`, content: "new\n" } }],
      () => [{ call: "Write", args: { file_path: `${project}/made.ts`, content: "made\n" } }],
    ];
  };
  const files = { "net.ts": start, "unseen.ts": "a year of work\n" };
  const flags = guard ? { guard: ["--on-mismatch", "rebase-own"] } : {};
  return runClaude({ program, files, ...flags, turns }, (told) => {
    const [, stale = "", passed = "", again = "", unseen = ""] = told.requests.slice(1).flatMap(toolResults);
    const bytes = ["net.ts", "unseen.ts", "made.ts"].map((name) => told.bytes(name)?.toString());
    const wanted = [met.replace("3;", "7;"), "a year of work\n", "made\n"];
    return {
      requests: told.requests.length,
      said: stale,
      complaint: `${told.complaint}\n${told.faults.join("\n")}`,
      breaches: {
        "foreign write lost": count(bytes[0]?.includes("3000") !== true),
        "wrong bytes": count(bytes.join("|") !== wanted.join("|")),
        "false success": count(!stale.includes("State Mismatch: File has changed on disk")),
        "stale state": count(!stale.includes(changed) || !stale.includes(sha256(met))),
        "broken run":
          count(told.exit !== 0) +
          told.faults.length +
          count([passed, again].some((answer) => !answer.includes("has been updated successfully"))) +
          count(unseen.includes("successfully")),
      },
    };
  });
}

const lines = Array.from({ length: 9 }, (_, at) => `const line${at + 1} = ${at + 1};\n`).join("");

/**
 * Claude Code's `Edit` behind a guard that moves edits past others' changes: a formatter wrote elsewhere in the file
 * (it passes, and the model is told what changed), two edits in one turn, others wrote the same line (it is refused
 * though its old text still stands; made again it passes).
 *
 * @param {string} program
 */
export function movedInClaude(program) {
  const formatted = lines.replace("const line1 = 1;\n", "const line1 =\n  1;\n");
  /** @param {string} text */
  const edited = (text) => text.replace("7;", "70;").replace("3;", "30;").replace("5;", "50;");
  const others = edited(formatted).replace("line9 = 9;", "line9 = 9; // theirs");
  /** @param {string} project @returns {readonly import("./scripted-claude.mjs").Turn[]} */
  const turns = (project) => {
    const file_path = `${project}/net.ts`;
    /** @param {string} old_string @param {string} new_string */
    const edit = (old_string, new_string) => ({ call: "Edit", args: { file_path, old_string, new_string } });
    return [
      () => [{ call: "Read", args: { file_path } }],
      () => {
        writeFileSync(file_path, formatted);
        return [edit("line7 = 7;", "line7 = 70;")];
      },
      () => [edit("line3 = 3;", "line3 = 30;"), edit("line5 = 5;", "line5 = 50;")],
      () => {
        writeFileSync(file_path, others);
        return [edit("const line9", "let line9")];
      },
      () => [edit("const line9", "let line9")],
    ];
  };
  const session = { program, files: { "net.ts": lines }, guard: ["--on-mismatch", "rebase"], turns };
  return runClaude(session, (told) => {
    const answers = told.requests.slice(1).map(toolResults);
    const [moved = "", one = "", two = "", refused = "", again = ""] = answers.slice(1).flat();
    const context = JSON.stringify(told.requests[2]?.messages ?? []);
    const isTold = ["Rebased: other lines had changed", "+const line1 =\\n+  1;"].every((part) =>
      context.includes(part),
    );
    const passed = [moved, one, two, again].filter((answer) => answer.includes("updated successfully"));
    return {
      requests: told.requests.length,
      said: [...answers.flat(), context].join("\n"),
      complaint: `${told.complaint}\n${told.faults.join("\n")}`,
      breaches: {
        "foreign write lost": count(
          told.bytes("net.ts")?.toString() !== others.replace("const line9", "let line9"),
        ),
        "not told of the move": count(!isTold),
        "false success": count(!refused.includes("State Mismatch: File has changed on disk")),
        "stale state": count(!refused.includes("+const line9 = 9; // theirs")),
        "broken run": count(told.exit !== 0) + told.faults.length + (4 - passed.length),
      },
    };
  });
}
