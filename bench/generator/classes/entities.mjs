import { joinLines } from "../lines.mjs";
import { applyEdits, makeChange, printDiff } from "../true-diff.mjs";
import { hunkOf, standsAt } from "../twins.mjs";
import { headerAt, printFor } from "./outcome.mjs";

/**
 * Markup in which entities are text, or the channel's, or both. They are decoded for a whole hunk or not at all.
 *
 * @typedef {import("../contract.mjs").ErrorClass} ErrorClass
 * @typedef {import("../random.mjs").Random} Random
 * @typedef {import("../true-diff.mjs").Hunk} Hunk
 */

/** @type {readonly ErrorClass[]} */
export const entities = [
  {
    name: "entities_in_part_of_an_old_line",
    refusal:
      "an old line is encoded in part, and the added ones are, too: what is text and what is the channel's?",
    // Raw and encoded characters side by side in one line. The text has no entities of its own.
    make: (random) => {
      const scene = makeView(random, false);
      const { hunk } = scene;
      const marked = hunk.lines.flatMap(({ sign, text }, at) =>
        sign !== "+" && count(text) > 1 ? [at] : [],
      );
      const removed = marked.filter((at) => hunk.lines[at]?.sign === "-");
      const at = random.pick(removed.length > 0 && random.chance(0.7) ? removed : marked);
      const all = random.chance(0.5);
      const lines = hunk.lines.map((line, n) => {
        if (n === at) return { ...line, text: encodeSome(random, line.text) };
        return line.sign === "+" || all ? { ...line, text: encode(line.text) } : line;
      });
      return draft(scene, { ...hunk, lines }, "must_refuse");
    },
  },
  {
    name: "entities_in_some_old_lines",
    refusal: "some old lines are encoded and some are not",
    // Added lines are encoded. To decode all of the hunk is right, and so is a refusal; entities in the file are not.
    make: (random) => {
      const scene = makeView(random, false);
      const marked = scene.hunk.lines.flatMap(({ sign, text }, at) =>
        sign !== "+" && count(text) > 0 ? [at] : [],
      );
      const raw = new Set(random.shuffle(marked).slice(0, random.between(1, marked.length - 1)));
      if (marked.length < 2) return undefined;
      const lines = scene.hunk.lines.map((line, at) =>
        raw.has(at) ? line : { ...line, text: encode(line.text) },
      );
      return draft(scene, { ...scene.hunk, lines }, "right_text_or_refusal");
    },
  },
  {
    name: "entities_mixed_old_added_raw",
    refusal: "old lines are encoded in part",
    make: (random) => {
      const scene = makeView(random, false);
      const lines = scene.hunk.lines.map((line) =>
        line.sign !== "+" && random.chance(0.6) ? { ...line, text: encodeSome(random, line.text) } : line,
      );
      if (lines.every((line, at) => line.text === scene.hunk.lines[at]?.text)) return undefined;
      return draft(scene, { ...scene.hunk, lines }, "right_text_or_refusal");
    },
  },
  {
    name: "entities_that_are_text",
    // The text has entities of its own beside raw markup; the diff quotes all as it is.
    make: (random) => {
      const scene = makeView(random, true);
      return scene.hunk.lines.some(({ text }) => /&\w+;/.test(text))
        ? draft(scene, scene.hunk, "one_right_text")
        : undefined;
    },
  },
  {
    name: "entities_in_added_lines_only",
    // Every old line stands there raw, byte for byte: what is added is what the letters say.
    make: (random) => {
      const scene = makeView(random, false);
      const fresh = `${/^\s*/.exec(scene.edit.add[0] ?? "")?.[0]}<b>1 &lt; 2 &amp;&amp; 3 &gt; 2</b>`;
      const edit = { ...scene.edit, add: [fresh] };
      const { from, to } = scene;
      return draft({ ...scene, edit }, hunkOf(scene, edit, from, to), "one_right_text");
    },
  },
  {
    name: "entities_in_one_of_two_hunks",
    refusal: "one hunk came through the channel encoded, the other did not",
    make: (random) => {
      const scene = makeView(random, false);
      const other = scene.lines.findIndex(({ text }) => text.includes("function"));
      if (other < 0 || other + 1 >= scene.from) return undefined;
      const first = { at: other, del: 1, add: [`${scene.lines[other]?.text} // seen`] };
      const change = makeChange({
        path: scene.path,
        base: joinLines(scene.lines),
        edits: [first, scene.edit],
        context: 1,
      });
      const [one, two] = change?.hunks ?? [];
      if (change === undefined || one === undefined || two === undefined) return undefined;
      if (!two.lines.some(({ sign, text }) => sign !== "+" && count(text) > 0)) return undefined;
      if (one.lines.some(({ text }) => count(text) > 0)) return undefined;
      const encoded = { ...two, lines: two.lines.map((line) => ({ ...line, text: encode(line.text) })) };
      const diff = printDiff(change, [one, encoded]);
      return { base: change.base, diff, expect: { kind: "right_text_or_refusal", text: change.truth } };
    },
  },
];

/**
 * A view with markup, and one change in it that adds markup.
 * @param {Random} random @param {boolean} own whether the text has entities of its own
 */
function makeView(random, own) {
  const name = () => random.pick(["Box", "List", "Card", "Row", "Grid"]);
  const tag = random.pick(["i", "b", "em"]);
  const texts = [
    "// parts of the page",
    `function ${name()}View(props) {`,
    "  const wide = props.wide;",
    "  const open = true;",
    "  const high = props.high;",
    "  return (",
  ];
  const from = texts.length;
  for (let n = 0; n < random.between(2, 6); n++) {
    const part = name();
    texts.push(
      `    <${part} id="${part}${n}" title={<${tag}>${n}</${tag}>}>`,
      own ? `      <p>${n} &lt; ${n + 1} &amp; more</p>` : `      <p>{${n} < props.count && "more"}</p>`,
      `    </${part}>`,
    );
  }
  texts.push("  );", "}");
  const lines = texts.map((text) => ({ text, eol: "\n" }));
  const at = random.between(from, texts.length - 3);
  const old = texts[at] ?? "";
  const inserts = random.chance(0.4);
  const stem = /^\s*/.exec(old)?.[0] ?? "";
  const fresh = own
    ? `${stem}<${tag}>${random.between(2, 9)} &gt; 1</${tag}> {"<"}`
    : `${stem}<${tag} class="new">{1 < 2 && <b>new</b>}</${tag}>`;
  const edit = { at, del: inserts ? 0 : 1, add: [fresh] };
  const low = Math.max(0, at - random.between(1, 3));
  const high = Math.min(texts.length, at + edit.del + random.between(1, 3));
  return { path: "src/view.jsx", lines, edit, from: low, to: high, hunk: hunkOf({ lines }, edit, low, high) };
}

/**
 * @param {ReturnType<typeof makeView>} scene @param {Hunk} hunk
 * @param {"must_refuse" | "one_right_text" | "right_text_or_refusal"} kind
 * @returns {import("../contract.mjs").Draft | undefined}
 */
function draft(scene, hunk, kind) {
  if (standsAt(scene, scene.hunk).length !== 1) return undefined;
  const base = joinLines(scene.lines);
  const text = joinLines(applyEdits(scene.lines, [scene.edit]));
  const diff = printFor(scene, [{ ...hunk, header: headerAt(hunk, hunk.oldStart + 1) }]);
  return { base, diff, expect: kind === "must_refuse" ? { kind } : { kind, text } };
}

/** How many characters of a line have an entity. @param {string} text */
function count(text) {
  return text.match(/[<>&]/g)?.length ?? 0;
}

/** @param {string} text */
function encode(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** At least one character encoded, and one left raw. @param {Random} random @param {string} text */
function encodeSome(random, text) {
  const places = [...text.matchAll(/[<>&]/g)].map(({ index }) => index);
  if (places.length < 2) return text;
  const raw = random.pick(places);
  const rest = places.filter((at) => at !== raw);
  const sure = random.pick(rest);
  const hit = new Set(rest.filter((at) => at === sure || random.chance(0.6)));
  return [...text].map((char, at) => (hit.has(at) ? encode(char) : char)).join("");
}
