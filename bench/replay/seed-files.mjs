/** The texts of files as a session leaves them, as far as its calls and results tell. */
export class SeedFiles {
  /** @type {Map<string, string>} */
  #texts = new Map();

  /**
   * A result as the seed wants it: that of a read, an edit or a write carries the whole file.
   *
   * @param {import("./session.mjs").Block} block
   */
  replyOf(block) {
    const { use } = block;
    if (block.role !== "result" || block.isError === true || use === undefined) return block.text;
    this.#follow(block.text, use);
    const text = this.#texts.get(use.path);
    if (text === undefined) return block.text;
    if (use.kind === "read") return text.length > block.text.length ? text : block.text;
    return `${block.text}\n${text}`;
  }

  /** @param {string} output @param {import("./file-use.mjs").FileUse} use */
  #follow(output, use) {
    if (use.kind === "write") this.#texts.set(use.path, use.text);
    else if (use.kind === "read") {
      if (use.range === "") this.#texts.set(use.path, output);
    } else {
      const text = this.#texts.get(use.path);
      if (text !== undefined) this.#texts.set(use.path, use.edits.reduce(replaceOnce, text));
    }
  }
}

/** @param {string} text @param {import("./file-use.mjs").Replaced} edit */
function replaceOnce(text, { before, after }) {
  const at = text.indexOf(before);
  if (before === "" || at < 0 || text.includes(before, at + 1)) return text;
  return text.slice(0, at) + after + text.slice(at + before.length);
}
