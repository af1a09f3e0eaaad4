import { foreignWriters, runForeign } from "./foreign-writers.mjs";
import { ownTools, runGemini } from "./gemini-cli.mjs";
import { bytesStory, withTea } from "./stories.mjs";

/**
 * The same three wishes with the client's own tools, which check no state: what the figures of ours are
 * held against. Each tells what became of the file, as it was found.
 */

const start = "const wait = 2000;\nconst tries = 3;\n";
const { read, edit, write } = ownTools;

/** A replacement whose old text is stale. @param {string} program */
export function staleReplace(program) {
  /** @param {string} project */
  const turns = (project) => [
    () => [read("net.ts")],
    () => {
      runForeign(foreignWriters["sed -i"] ?? "", project);
      return [edit("net.ts", start, start.replace("3;", "5;"))];
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
  const turns = () => [() => [read("menu.txt")], () => [edit("menu.txt", "tea 2", "tea 3")]];
  return runGemini({ program, serve: false, files: bytesStory().files, turns }, ({ bytes }) =>
    bytes("menu.txt").equals(withTea("3"))
      ? "`replace` kept the other bytes"
      : "`replace` changed other bytes",
  );
}

/** @param {string} program */
export function blindWrite(program) {
  const turns = () => [() => [write("net.ts", "new\n")]];
  return runGemini({ program, serve: false, files: { "net.ts": start }, turns }, ({ bytes }) =>
    bytes("net.ts").toString() === start ? "`write_file` refused" : "`write_file` overwrote the unseen file",
  );
}
