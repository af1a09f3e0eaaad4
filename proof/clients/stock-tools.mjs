import { foreignWriters, runForeign } from "./foreign-writers.mjs";
import { runGemini } from "./gemini-cli.mjs";
import { bytesStory, withTea } from "./stories.mjs";

/**
 * The same three wishes with the client's own tools, which check no state: what the figures of ours are
 * held against. Each tells what became of the file, as it was found.
 */

const start = "const wait = 2000;\nconst tries = 3;\n";
const edit = { old_string: start, new_string: start.replace("3;", "5;"), instruction: "five tries" };

/** A replacement whose old text is stale. @param {string} program */
export function staleReplace(program) {
  /** @param {string} project */
  const turns = (project) => [
    () => [{ call: "read_file", args: { file_path: "net.ts" } }],
    () => {
      runForeign(foreignWriters["sed -i"] ?? "", project);
      return [{ call: "replace", args: { file_path: "net.ts", ...edit } }];
    },
  ];
  return runGemini({ program, serve: false, files: { "net.ts": start }, turns }, ({ bytes }) =>
    bytes("net.ts").includes("3000")
      ? "`replace` kept the foreign write"
      : "`replace` took the foreign write back",
  );
}

/** @param {string} program */
export function replaceInLegacy(program) {
  const turns = () => [
    () => [{ call: "read_file", args: { file_path: "menu.txt" } }],
    () => [
      {
        call: "replace",
        args: { file_path: "menu.txt", old_string: "tea 2", new_string: "tea 3", instruction: "dearer" },
      },
    ],
  ];
  return runGemini({ program, serve: false, files: bytesStory().files, turns }, ({ bytes }) =>
    bytes("menu.txt").equals(withTea("3"))
      ? "`replace` kept the other bytes"
      : "`replace` changed other bytes",
  );
}

/** @param {string} program */
export function blindWrite(program) {
  const turns = () => [() => [{ call: "write_file", args: { file_path: "net.ts", content: "new\n" } }]];
  return runGemini({ program, serve: false, files: { "net.ts": start }, turns }, ({ bytes }) =>
    bytes("net.ts").toString() === start ? "`write_file` refused" : "`write_file` overwrote the unseen file",
  );
}
