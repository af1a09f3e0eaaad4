import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runClient, setUp } from "../clients/any-client.mjs";
import { sha256 } from "../clients/stories.mjs";

/**
 * Where a host refuses a tool of its own, ours is refused: the same files, the host's own tools first, then ours, judged by the
 * disk and by what the model was sent.
 *
 * @typedef {import("../clients/any-client.mjs").Client} Client
 * @typedef {import("../clients/any-client.mjs").Ground} Ground
 * @typedef {import("../clients/any-client.mjs").Part} Part
 * @typedef {{ readonly read?: readonly string[], readonly write?: readonly string[] }} Places files, and folders with a slash
 * @typedef {object} Policy
 * @property {Client} client
 * @property {string} what
 * @property {Places} denied what its own tools are refused
 * @property {Places} [free] what they are not, so that ours are not
 * @property {readonly string[]} [flags] of `holdfast setup`
 * @property {(ground: Ground) => void} [rules] what a person has set before
 * @property {(ground: Ground) => void} [after] what a person sets after the setup
 * @property {(args: readonly string[], ground: Ground) => readonly string[]} [args]
 * @property {Readonly<Record<string, string>>} [env]
 * @property {boolean} [ends] a refusal ends the run: each call has a run of its own
 * @property {string} [named] it leaks, as this sentence of the page says
 * @property {string} [stricter] ours are refused more, for this reason
 *
 * @typedef {{ readonly place: string, readonly doing: "read" | "write", readonly wanted: "denied" | "free" }} Try
 * @typedef {{ own: string[], ours: string[], said: string }} Passed which calls passed
 */

/** @param {Policy} policy @param {string} program @param {(line: string) => void} print @returns {Promise<import("../contract.mjs").Row>} */
export async function refusalRow(policy, program, print) {
  const tries = triesOf(policy);
  /** @type {Map<Try, Passed>} */
  const found = new Map(tries.map((one) => [one, { own: [], ours: [], said: "" }]));
  let broken = 0;
  const runs =
    policy.ends === true
      ? tries.flatMap((one) => [
          [one, "own"],
          [one, "ours"],
        ])
      : [[undefined, "both"]];
  for (const [only, who] of runs) {
    const told = await run(
      policy,
      program,
      found,
      (one, side) => (only ?? one) === one && [side, "both"].includes(String(who)),
    );
    if (policy.ends !== true && (told.exit !== 0 || told.faults.length > 0)) {
      broken += 1;
      print(`${policy.what}: ${told.exit} ${told.faults.join()} ${told.complaint.slice(-1_000)}`);
    }
  }
  const bad = {
    leaks: 0,
    "stricter than the host": 0,
    "its own tools otherwise than said": 0,
    "broken run": broken,
  };
  const seen = tries.map((one) => {
    const { own, ours, said } = found.get(one) ?? { own: [], ours: [], said: "" };
    const isLeak = own.length === 0 && ours.length > 0;
    if (isLeak && policy.named === undefined) bad.leaks += 1;
    if (own.length > 0 && ours.length === 0 && policy.stricter === undefined)
      bad["stricter than the host"] += 1;
    if ((own.length === 0) !== (one.wanted === "denied")) bad["its own tools otherwise than said"] += 1;
    const told = `${one.doing} ${one.place === "" ? "." : one.place}: own ${own.join() || "refused"}, ours ${ours.join() || "refused"}`;
    if (isLeak || (own.length === 0) !== (one.wanted === "denied") || (own.length > 0 && ours.length === 0))
      print(`${policy.what}: ${told}: ${said}`);
    return told;
  });
  const why = policy.named === undefined ? "" : `; named: ${policy.named}`;
  return {
    figure: "H7",
    what: `${policy.client.title}: ${policy.what}`,
    tried: tries.length,
    bad,
    seen: `${seen.join("; ")}${why}`,
  };
}

/** @param {Policy} policy @returns {readonly Try[]} */
function triesOf({ denied, free = {} }) {
  const all = /** @type {const} */ ([
    ["denied", denied],
    ["free", free],
  ]);
  return all.flatMap(([wanted, { read = [], write = [] }]) => [
    ...read.map((place) => ({ place, doing: /** @type {const} */ ("read"), wanted })),
    ...write.map((place) => ({ place, doing: /** @type {const} */ ("write"), wanted })),
  ]);
}

const secret = (/** @type {string} */ name) => `secret of ${name}\n`;
const before = {
  "there.txt": "own 0\nours 0\n",
  "append.txt": "a\n",
  "patch.txt": "old\n",
  "page.md": "# A\n\na\n",
  "move.txt": "m\n",
  "gone.txt": "g\n",
};

/**
 * @param {Policy} policy @param {string} program @param {Map<Try, Passed>} found
 * @param {(one: Try, side: "own" | "ours") => boolean} isMeant
 */
function run({ client, rules, after, flags = [], args, env = {} }, program, found, isMeant) {
  const tries = [...found.keys()];
  const files = Object.fromEntries(
    tries.flatMap(({ place, doing }) =>
      doing === "read"
        ? [[place, secret(place)]]
        : Object.entries(before).map(([name, text]) => [place + name, text]),
    ),
  );
  const launched = {
    ...client,
    /** @type {Client["launch"]} */
    launch: (program, ground, url) => {
      const how = client.launch(program, ground, url);
      return { ...how, args: args?.(how.args, ground) ?? how.args, env: { ...how.env, ...env } };
    },
  };
  const prepare = (/** @type {Ground} */ ground) => {
    spawnSync("git", ["init", "-q", "."], { cwd: ground.project });
    rules?.(ground);
    setUp(client, ground, flags);
    after?.(ground);
  };
  const turns = (/** @type {string} */ project) => {
    /** @type {Generator<readonly Part[], void, readonly string[]> | undefined} */
    let script;
    const turn = (/** @type {any} */ request) => {
      const isFirst = script === undefined;
      script ??= calls(client, project, tries, found, isMeant);
      const step = isFirst ? script.next([]) : script.next(client.answers(request));
      if (step.done === true) return [{ text: "done" }];
      return client.phrase?.(step.value) ?? step.value;
    };
    return Array.from({ length: 150 }, () => turn);
  };
  return runClient(
    launched,
    { program, files: { "README.md": "# Demo\n", ...files }, prepare, turns, mostMs: 240_000 },
    (told) => told,
  );
}

/**
 * @param {Client} client @param {string} project @param {readonly Try[]} tries @param {Map<Try, Passed>} found
 * @param {(one: Try, side: "own" | "ours") => boolean} isMeant
 * @returns {Generator<readonly Part[], void, readonly string[]>}
 */
function* calls(client, project, tries, found, isMeant) {
  const own = client.own?.(project);
  if (own === undefined) return;
  if (own.search !== undefined) yield [own.search];
  const disk = (/** @type {string} */ name) =>
    existsSync(join(project, name)) ? readFileSync(join(project, name), "utf8") : undefined;
  const ours = (/** @type {string} */ tool, /** @type {Readonly<Record<string, unknown>>} */ args) => ({
    call: client.toolName("holdfast", tool),
    args,
  });
  for (const one of tries) {
    const { place, doing } = one;
    const passed = found.get(one);
    if (passed === undefined) continue;
    /** One call, and whether it came to anything. @param {"own" | "ours"} side @param {string} what @param {Part} part @param {(said: string) => boolean} passes @returns {Generator<readonly Part[], void, readonly string[]>} */
    const attempt = function* (side, what, part, passes) {
      if (!isMeant(one, side)) return;
      const said = (yield [part]).join("\n");
      if (passes(said)) passed[side].push(what);
      passed.said += ` [${what}] ${said.slice(0, 300)}`;
    };
    if (doing === "read") {
      const isShown = (/** @type {string} */ said) => said.includes(secret(place).trim());
      const folder = place.includes("/") ? place.slice(0, place.lastIndexOf("/")) : ".";
      yield* attempt("own", "read", own.read(place), isShown);
      yield* attempt("ours", "read_file", ours("read_file", { file_path: place }), isShown);
      yield* attempt("ours", "read_many_files", ours("read_many_files", { paths: [place] }), isShown);
      yield* attempt(
        "ours",
        "search_files",
        ours("search_files", { pattern: "secret of", path: folder }),
        isShown,
      );
      continue;
    }
    yield* writes(one.place, own, ours, disk, attempt);
  }
}

/**
 * @param {string} place @param {import("../clients/any-client.mjs").OwnTools} own
 * @param {(tool: string, args: Readonly<Record<string, unknown>>) => Part} ours
 * @param {(name: string) => string | undefined} disk
 * @param {(side: "own" | "ours", what: string, part: Part, passes: () => boolean) => Generator<readonly Part[], void, readonly string[]>} attempt
 * @returns {Generator<readonly Part[], void, readonly string[]>}
 */
function* writes(place, own, ours, disk, attempt) {
  const at = (/** @type {keyof typeof before} */ name) => place + name;
  /** @param {keyof typeof before} name */
  const base = (name) => ({ file_path: at(name), base_content_sha256: sha256(disk(at(name)) ?? "") });
  const differs = (/** @type {keyof typeof before} */ name) => () => disk(at(name)) !== before[name];
  const has =
    (/** @type {string} */ name, text = "") =>
    () =>
      disk(name)?.includes(text) === true;
  const there = at("there.txt");
  yield* attempt("own", "look", own.read(there), () => false);
  yield* attempt("own", "edit", own.edit(there, "own 0", "own 1"), has(there, "own 1"));
  yield* attempt("own", "create", own.write(`${place}own.txt`, "x\n"), has(`${place}own.txt`));
  const edit = { old_string: "ours 0", new_string: "ours 1" };
  const made = `${place}ours.txt`;
  /** @type {readonly (readonly [string, () => Readonly<Record<string, unknown>>, () => boolean])[]} */
  const calls = [
    ["edit_file", () => ({ ...base("there.txt"), edits: [edit], ...edit }), has(there, "ours 1")],
    ["write_file", () => ({ file_path: made, content: "x\n" }), has(made)],
    ["append_to_file", () => ({ ...base("append.txt"), content: "b\n" }), differs("append.txt")],
    ["safe_patch", () => ({ ...base("patch.txt"), unified_diff: "@@\n-old\n+new\n" }), differs("patch.txt")],
    ["update_section", () => ({ ...base("page.md"), heading: "A", content: "b\n" }), differs("page.md")],
    ["move_file", () => ({ ...base("move.txt"), to: `${place}moved.txt` }), differs("move.txt")],
    ["delete_file", () => base("gone.txt"), differs("gone.txt")],
  ];
  for (const [tool, args, passes] of calls) yield* attempt("ours", tool, ours(tool, args()), passes);
}
