import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freshFolder, remove } from "../rooms.mjs";

/** @typedef {{ readonly kind: string, readonly name?: string, readonly output?: string, readonly media?: readonly object[],
 *   readonly shows?: readonly { readonly start: number, readonly end: number }[],
 *   readonly files?: readonly { readonly path: string, readonly after: string | null, readonly by: string }[] }} Payload */

const program = fileURLToPath(new URL("../../packages/cli/bin/holdfast.js", import.meta.url));
const transcript = fileURLToPath(new URL("../clients/transcript.mjs", import.meta.url));

const short = (/** @type {string} */ text) => createHash("sha256").update(text).digest("hex").slice(0, 8);
const [whole, edited] = ["one\ntwo\nthree\n", "one\n2\nthree\n"];
/** What `transcript.mjs` has the client do, as the states of files that it names. */
const wanted = [
  `read_file seen a.txt ${short(whole)}`,
  "read_file",
  `edit_file tool a.txt ${short(edited)}`,
  `write_file tool new.txt ${short("new\n")}`,
  `edit_file seen a.txt ${short(edited)}`,
  "Bash",
  "delete_file tool gone.txt gone",
];

/** A4: a session of the real Claude Code that used our tools shows our states of files once it is imported. @returns {import("../contract.mjs").Row} */
export function importedSession() {
  const figure = "A4";
  const what = "a session of the real Claude Code with our tools, imported: each state that they named";
  const top = freshFolder();
  try {
    const file = join(top, "session.jsonl");
    const made = JSON.parse(node([transcript, file]));
    if (made.kind === "missing") return { figure, what, tried: 0, bad: {}, notHad: made.reason };
    const run = (/** @type {readonly string[]} */ ...args) =>
      node([program, ...args, "--state-dir", join(top, "state")]);
    const { id } = JSON.parse(run("sessions", "import", file, "--json"));
    const exported = run("sessions", "export", id);
    run("sessions", "verify", id);
    const results = payloadsIn(exported).filter(({ kind }) => kind === "tool_result");
    const seen = results.map(stateOf);
    const [read, picture] = results;
    const [shown] = read?.shows ?? [];
    const bad = {
      "states wrong":
        seen.filter((state, at) => state !== wanted[at]).length + Math.abs(seen.length - wanted.length),
      "lines shown wrong": read?.output?.slice(shown?.start, shown?.end) === whole ? 0 : 1,
      "picture lost": picture?.media?.length === 1 ? 0 : 1,
      // Its text was printed by `cat`: it stands in the session, and no file of that name is known.
      "header forged": results.some(({ files = [] }) => files.some(({ path }) => path === "forged.txt"))
        ? 1
        : 0,
      "forgery not tried": results.some(
        ({ name, output }) => name === "Bash" && output?.includes("forged.txt"),
      )
        ? 0
        : 1,
    };
    return { figure, what, tried: seen.length, bad };
  } finally {
    remove(top);
  }
}

/** @param {readonly string[]} args @returns {string} */
function node(args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    timeout: 300_000,
  });
  if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** @param {string} exported @returns {readonly Payload[]} */
function payloadsIn(exported) {
  const lines = exported.split("\n").filter((line) => line !== "");
  return lines.flatMap((line) =>
    (JSON.parse(line).nodes ?? []).map((/** @type {{ payload: Payload }} */ node) => node.payload),
  );
}

/** @param {Payload} payload */
function stateOf({ name = "", files = [] }) {
  const states = files.map(({ path, after, by }) => ` ${by} ${path} ${after?.slice(0, 8) ?? "gone"}`);
  return `${name.replace("mcp__holdfast__", "")}${states.join("")}`;
}
