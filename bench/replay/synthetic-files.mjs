/** Numbers that only the seed decides: xorshift, 32 bits. */
export class Random {
  /** @param {number} seed */
  constructor(seed) {
    this.state = (Math.imul(seed + 1, 2_654_435_761) >>> 0) | 1;
  }

  /** From 0 to below 1. */
  next() {
    let { state } = this;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.state = state;
    return (state >>> 0) / 2 ** 32;
  }

  /** Both included. @param {number} least @param {number} most */
  between(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** @param {number} count */
  words(count) {
    return Array.from({ length: count }, () => vocabulary[this.between(0, vocabulary.length - 1)]).join(" ");
  }

  /** Lines of about so many characters in all. @param {number} chars */
  text(chars) {
    let text = "";
    while (text.length < chars) text += `${this.words(this.between(3, 12))} ${this.between(0, 99_999)}\n`;
    return text;
  }
}

const vocabulary =
  "value result index count parse write read open close path node tree list map error token state file line text cache window request answer model tool call plan store journal branch merge render return const await export import function class type string number".split(
    " ",
  );

/** The files of a project that never was. Each line of a file stands in it once. */
export class SyntheticFiles {
  /** @type {Map<string, string[]>} */
  #files = new Map();
  #changes = 0;

  /** @param {Random} random @param {number} count @param {readonly [number, number]} lines */
  constructor(random, count, lines) {
    this.random = random;
    for (let at = 0; at < count; at++) {
      const length = random.between(...lines);
      const text = Array.from(
        { length },
        (_, line) =>
          `${" ".repeat(2 * random.between(0, 3))}${random.words(random.between(1, 9))} // ${at}.${line}`,
      );
      this.#files.set(`/project/src/part-${at % 7}/file-${at}.ts`, text);
    }
  }

  anyPath() {
    const paths = [...this.#files.keys()];
    return paths[this.random.between(0, paths.length - 1)] ?? "";
  }

  /** @param {string} path @returns {readonly string[]} */
  linesOf(path) {
    return this.#files.get(path) ?? [];
  }

  /** Replaces one to four lines by as many or one more. @param {string} path */
  change(path) {
    const lines = this.#files.get(path) ?? [];
    const count = this.random.between(1, Math.min(4, lines.length));
    const at = this.random.between(0, lines.length - count);
    const before = lines.slice(at, at + count);
    this.#changes += 1;
    const after = Array.from(
      { length: count + this.random.between(0, 1) },
      (_, line) => `  ${this.random.words(this.random.between(2, 9))} // changed ${this.#changes}.${line}`,
    );
    lines.splice(at, count, ...after);
    return { before: before.join("\n"), after: after.join("\n") };
  }
}

/** As `cat -n` writes them. @param {readonly string[]} lines @param {number} from the number of the first */
export function numberedFrom(lines, from) {
  return lines.map((line, at) => `${String(from + at).padStart(6)}\t${line}\n`).join("");
}
