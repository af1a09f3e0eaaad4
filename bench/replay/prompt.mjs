import { charsPerToken } from "./cache.mjs";

/**
 * A piece of the prompt as a policy shows it. `isCleared`: its text is gone. `standsFor`: the path whose newer text
 * its placeholder speaks of.
 *
 * @typedef {{ readonly block: import("./session.mjs").Block, text: string, isCleared: boolean,
 *   standsFor?: string }} Shown
 */

/** The prompt under one policy, and what the policy has done to it. */
export class Prompt {
  /** Tokens that were cleared, by path, until something is done with the file again. @type {Map<string, number>} */
  #cleared = new Map();

  constructor() {
    /** @type {Shown[]} */
    this.shown = [];
    this.length = 0;
  }

  /** @param {import("./session.mjs").Block} block @param {string} text as it is to be shown */
  add(block, text) {
    this.shown.push({ block, text, isCleared: false });
    this.length += text.length;
  }

  /** @param {Shown} one @param {string} placeholder @param {string} [standsFor] */
  clear(one, placeholder, standsFor) {
    const path = one.block.use?.path;
    // What a newer text stands for is not missed.
    if (path !== undefined && standsFor === undefined) this.miss(path, one.text.length / charsPerToken);
    this.length += placeholder.length - one.text.length;
    one.text = placeholder;
    one.isCleared = true;
    if (standsFor !== undefined) one.standsFor = standsFor;
  }

  /** Notes that so many tokens of a file are gone. @param {string} path @param {number} tokens */
  miss(path, tokens) {
    this.#cleared.set(path, (this.#cleared.get(path) ?? 0) + tokens);
  }

  /** The request as it is sent, piece by piece. */
  write() {
    return this.shown.map(({ text }) => text);
  }

  /** What was cleared of a file that is used now; counted once. @param {string} path */
  takeCleared(path) {
    const tokens = this.#cleared.get(path) ?? 0;
    this.#cleared.delete(path);
    return tokens;
  }

  /**
   * Cleared reads without which an answer could not have been given: it replaces lines of them that stand nowhere
   * else, or changes a file of which nothing is to be seen.
   *
   * @param {readonly import("./session.mjs").Block[]} answer
   */
  textsNeeded(answer) {
    /** @type {Set<import("./session.mjs").Block>} */
    const needed = new Set();
    for (const { role, use } of answer) {
      if (role !== "call" || use?.kind !== "edit") continue;
      const ofFile = this.shown.filter(({ block }) => block.use?.path === use.path && block.isError !== true);
      const seen = ofFile.flatMap(textsSeen);
      const lost = ofFile.filter(({ block, isCleared }) => isCleared && block.use?.kind === "read");
      const lines = linesReplaced(use.edits).filter((line) => !seen.some((text) => text.includes(line)));
      const last = lost.findLast(({ block }) =>
        use.edits.length === 0 ? seen.length === 0 : lines.some((line) => block.text.includes(line)),
      );
      if (last !== undefined) needed.add(last.block);
    }
    return [...needed];
  }

  /** @param {import("./session.mjs").Block} result a read that was cleared @param {number} count of reads so far */
  readAgain(result, count) {
    const callId = `${result.callId}-again-${count}-${this.shown.length}`;
    const path = result.use?.path ?? "";
    this.add({ ...result, role: "call", callId, text: `read ${path}` }, `read ${path}`);
    this.add({ ...result, callId }, result.text);
  }

  /** Puts a summary in the place of everything before a block. @param {import("./session.mjs").Block} summary */
  compact(summary) {
    const { keepFromDepth = Number.POSITIVE_INFINITY } = summary;
    const kept = this.shown.filter(({ block }) => block.depth >= keepFromDepth);
    this.shown = [{ block: summary, text: summary.text, isCleared: false }, ...kept];
    this.length = this.shown.reduce((sum, { text }) => sum + text.length, 0);
  }

  /** Placeholders that speak of a newer text of a file that is not there. */
  countDangling() {
    const there = new Set(
      this.shown.flatMap(({ block, isCleared }) =>
        block.role === "result" && !isCleared && block.use !== undefined ? [block.use.path] : [],
      ),
    );
    return this.shown.filter(({ standsFor }) => standsFor !== undefined && !there.has(standsFor)).length;
  }

  /** Results without their call, and results and calls of one id twice. */
  countViolations() {
    const open = new Set();
    let violations = 0;
    for (const { block } of this.shown) {
      if (block.role === "call") {
        if (open.has(block.callId)) violations += 1;
        open.add(block.callId);
      } else if (block.role === "result" && !open.delete(block.callId)) violations += 1;
    }
    return violations;
  }
}

/** @param {Shown} one @returns {readonly string[]} */
function textsSeen({ block, text, isCleared }) {
  if (block.role === "result") return isCleared ? [] : [text];
  if (block.use?.kind === "write") return [block.use.text];
  return block.use?.kind === "edit" ? block.use.edits.map(({ after }) => after) : [];
}

/** Line by line, since results may have numbers before them. @param {readonly import("./file-use.mjs").Replaced[]} edits */
function linesReplaced(edits) {
  return edits.flatMap(({ before }) => before.split(/\r?\n/)).filter((line) => line.trim() !== "");
}
