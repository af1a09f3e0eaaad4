import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openCalls } from "@holdfast/core/conversation";
import { isRefusal } from "@holdfast/core/files/values";
import { followFiles } from "@holdfast/core/tools";
import { freshFolder, remove, sameTree, treeOf } from "../rooms.mjs";
import { hold, paths, randomFrom } from "./files-talk.mjs";

/** @typedef {{ settled: number, restores: number, apart: number, moved: number, refused: number }} Seen */

/**
 * A session with its files is killed again and again, opened, and held against the disk: each file is as the manifest
 * says, or it is named with who made it so, which its text tells as well. Then a restore to some node is made and taken
 * back.
 *
 * @param {string} talker @param {{ kills: number, seed?: number, print: (line: string) => void }} options
 * @returns {Promise<import("../contract.mjs").Row>}
 */
export async function killTalks(talker, { kills, seed = 1, print }) {
  const bad = { disagree: 0, "wrong maker": 0, untold: 0, "not undone": 0, "not settled": 0 };
  const seen = { settled: 0, restores: 0, apart: 0, moved: 0, refused: 0 };
  const killsEach = 25;
  for (let done = 0; done < kills; done += killsEach) {
    const top = freshFolder();
    try {
      const place = { root: join(top, "root"), stateDir: join(top, "state") };
      begin(place.root);
      const first = await hold(place);
      const session = first.manager.context.sessionId;
      first.manager.commitStagedItems("go");
      await first.manager.flush();
      await first.close();
      for (let at = 0; at < Math.min(killsEach, kills - done); at++) {
        const number = seed * 100_000 + done + at;
        await killOne(talker, place, session, number);
        await holdAgainstDisk(place, session, { number, bad, seen, print });
      }
    } finally {
      remove(top);
    }
  }
  return {
    figure: "F9",
    what: `${kills} kills of a session that writes files, by a clock that is put back and forth, with a shell and another session beside it; then opened`,
    tried: kills,
    bad,
    seen: `${seen.settled} writes without a result told of, ${seen.restores} restores settled, ${seen.apart} files of others or other branches named; ${seen.moved} files put back and taken back, ${seen.refused} refused`,
  };
}

/** @param {string} root */
function begin(root) {
  for (const path of paths.slice(0, 3)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "shell 0\n");
  }
}

/** @param {string} talker @param {{ root: string, stateDir: string }} place @param {string} session @param {number} seed */
async function killOne(talker, { root, stateDir }, session, seed) {
  const child = spawn(process.execPath, [talker, root, stateDir, session, String(seed)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const ready = await Promise.race([once(child.stdout, "data"), closed]);
  if (child.exitCode !== null) throw new Error(`the talker ended by itself: ${String(ready)}`);
  await new Promise((resolve) => setTimeout(resolve, 20 + randomFrom(seed)() * 400));
  child.kill("SIGKILL");
  await closed;
}

/**
 * @param {{ root: string, stateDir: string }} place @param {string} session
 * @param {{ number: number, bad: Record<string, number>, seen: Seen, print: (line: string) => void }} counts
 */
async function holdAgainstDisk(place, session, { number, bad, seen, print }) {
  const held = await hold(place, session);
  const { manager, files } = held;
  /** @param {string} breach @param {string} what */
  const breach = (breach, what) => {
    bad[breach] = (bad[breach] ?? 0) + 1;
    print(`kill ${number}: ${breach}: ${what}`);
  };
  try {
    if (files === undefined || isRefusal(files.writes) || isRefusal(files.restore)) {
      breach("not settled", JSON.stringify(files));
      return;
    }
    seen.settled += files.writes.nodes.length;
    if (files.restore.kind !== "nothing_pending") seen.restores += 1;
    seen.apart += files.apart.length;
    const tree = treeOf(place.root);
    const manifest = manager.manifests.at(manager.context, manager.context.currentNodeId);
    const apart = new Map(files.apart.map((file) => [file.path, file]));
    for (const path of paths) {
      const text = tree[path];
      const sha256 = text === undefined ? null : createHash("sha256").update(text, "latin1").digest("hex");
      const known = manifest.get(path);
      const named = apart.get(path);
      if (known !== undefined && known !== sha256 && named === undefined)
        breach("disagree", `${path} is ${text}, and the manifest says ${known}`);
      if (known === sha256 && named !== undefined)
        breach("disagree", `${path} is named and is as it should be`);
      const isPutBack =
        named?.by.who === "this_conversation" && sha256 !== null && isTold(manager, path, sha256);
      if (named !== undefined && text !== undefined && !isPutBack && !isMaker(named.by, text))
        breach("wrong maker", `${path} is ${text}, by ${JSON.stringify(named.by)}`);
      if (named?.by.who === "this_conversation" && named.by.here)
        breach("untold", `${path}: ${JSON.stringify(named)}`);
      if (text?.startsWith("ours") === true && sha256 !== null && !isTold(manager, path, sha256))
        breach("untold", `${path} is ${text}, and no node says so`);
    }
    await putBackAndAgain(place, held, { number, breach, seen });
  } finally {
    await held.close();
  }
}

/** @param {import("@holdfast/core/conversation").FileMaker} by @param {string} text */
function isMaker(by, text) {
  const [who] = text.split(" ");
  if (who === "ours") return by.who === "this_conversation";
  return by.who === (who === "other" ? "another_session" : "someone_else");
}

/** @param {import("@holdfast/core/conversation").ContextManager} manager @param {string} path @param {string} sha256 */
function isTold({ context }, path, sha256) {
  for (const { payload } of context.nodes.values()) {
    if (payload.kind === "restore" && payload.files.some((file) => file.path === path && file.to === sha256))
      return true;
    if (payload.kind !== "tool_result" && payload.kind !== "note") continue;
    if (payload.files?.some((file) => file.path === path && file.after === sha256) === true) return true;
  }
  return false;
}

/**
 * Files go back to some node, with the head or without it, and that is taken back.
 *
 * @param {{ root: string }} place @param {Awaited<ReturnType<typeof hold>>} held
 * @param {{ number: number, breach: (breach: string, what: string) => void, seen: Seen }} counts
 */
async function putBackAndAgain({ root }, { manager, workspace, newId }, { number, breach, seen }) {
  const random = randomFrom(number + 7);
  const { context } = manager;
  // Where a call waits for its result, the head could not leave again.
  const nodes = [...context.nodes.keys()].filter((id) => openCalls(context, id).length === 0).sort();
  const toId = nodes[Math.floor(random() * nodes.length)] ?? "";
  const follow = followFiles(manager, workspace, newId);
  const before = treeOf(root);
  const asked = { consent: [], conflicts: /** @type {"leave"} */ ("leave"), answering: undefined };
  /** @type {import("@holdfast/core/tools").FileMove} */
  const move = random() < 0.5 ? { kind: "stay", stateOf: toId } : { kind: "go", toId, words: "Went back" };
  const done = await follow.follow({ move, ...asked });
  if (isRefusal(done)) {
    seen.refused += 1;
    if (!sameTree(before, treeOf(root))) breach("not undone", `refused (${done.code}), and files moved`);
    return;
  }
  const restoreId = manager.context.currentNodeId;
  const payload = manager.getCurrentNode().payload;
  seen.moved += payload.kind === "restore" ? payload.files.length : 0;
  const undone = await follow.follow({ move: { kind: "undo", restoreId }, ...asked });
  if (isRefusal(undone)) breach("not undone", `${undone.code}: ${undone.message}`);
  else if (!sameTree(before, treeOf(root)))
    breach("not undone", `${JSON.stringify(before)} became ${JSON.stringify(treeOf(root))}`);
}
