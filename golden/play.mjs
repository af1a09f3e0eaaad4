import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { sha256 } from "./ground.mjs";

/**
 * Plays a script against whatever answers calls. Of its lines
 *
 *     ## text            is a heading
 *     $ command          is what somebody else does, in the project's folder
 *     edit_file {…}      is a call; one that begins with & is sent together with the line before
 *
 * `{hash PATH}` stands for the SHA-256 of what that file holds at this moment, `{at PATH}` for its whole path, and other
 * words in braces for what `words` has of them.
 *
 * @param {{ say(heading: string): void, call(...calls: import("./server.mjs").Call[]): Promise<unknown> }} desk
 * @param {ReturnType<typeof import("./ground.mjs").openProject>} project
 * @param {string} script
 * @param {() => Readonly<Record<string, string>>} words
 */
export async function play({ say, call }, project, script, words = () => ({})) {
  const filled = (/** @type {string} */ line) =>
    line
      .replace(/\{(hash|at) ([^{}]+)\}/g, (_, what, path) =>
        what === "at" ? project.at(path) : sha256(readFileSync(project.at(path))),
      )
      .replace(/\{(\w+)\}/g, (whole, word) => words()[word] ?? whole);
  /** @returns {import("./server.mjs").Call} @param {string} line */
  const toCall = (line) => {
    const space = `${line} `.indexOf(" ");
    return [line.slice(0, space), JSON.parse(filled(line.slice(space + 1)) || "{}")];
  };
  for (const line of script.trim().split(/\n(?!& )/)) {
    if (line.startsWith("## ")) say(line.slice(3));
    else if (line.startsWith("$ "))
      execFileSync("bash", ["-ec", filled(line.slice(2))], { cwd: project.root });
    else if (line !== "") await call(...line.split("\n& ").map(toCall));
  }
}
