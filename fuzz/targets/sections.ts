import { sectionText, updateSection } from "../../packages/core/src/patch/index.js";
import { ensure, partsOf, type Target } from "../target.js";

/**
 * A document, a heading and new content, parted by `%%`. Held against: the heading and what stands outside the section
 * keep their bytes, the new section is found again by the same heading, and the same content again changes nothing.
 */
export const sections: Target = {
  name: "sections",
  words: [
    ...[
      "# ",
      "## ",
      "\n## A\n",
      "\n---\n",
      "\n===\n",
      "```\n",
      "~~~\n",
      "<div>\n",
      "<!--",
      "-->\n",
      "> ",
      "- ",
      "1. ",
    ],
    ...[
      "    ",
      "\t",
      "\r\n",
      "\r",
      "\n\n",
      "\n%%\n",
      "+++\n",
      "---\n",
      " ##\n",
      "&nbsp;",
      "[a]: b\n",
      "…",
      "\\#",
      "**",
    ],
  ],
  async run(input) {
    const [text, header, content] = partsOf(input);
    for (const create of [false, true]) {
      const edit = { header, content, create };
      const outcome = await updateSection(text, edit);
      if (outcome.kind === "unfit") continue;
      if (outcome.kind === "created") {
        ensure(outcome.text.startsWith(text), "a new section stands behind all else", outcome);
        continue;
      }
      const old = await sectionText(text, header);
      ensure(old !== undefined, "what was replaced was there", header);
      const at = outcome.heading.from;
      ensure(text.startsWith(old, at), "a section stands where its heading says", { old, at });
      const [head, rest] = [text.slice(0, outcome.heading.to), text.slice(at + old.length)];
      ensure(outcome.text.startsWith(head), "what stands above stays", { head, text: outcome.text });
      ensure(outcome.text.endsWith(rest), "what stands below stays", { rest, text: outcome.text });
      const again = await updateSection(outcome.text, edit);
      // The content may bring a deeper heading of the same words, which only a level tells from the first.
      if (again.kind === "unfit" && again.why.kind === "ambiguous") continue;
      ensure(again.kind === "replaced", "the section is found again", { text: outcome.text, again });
      ensure(again.text === outcome.text, "the same content again changes nothing", {
        once: outcome.text,
        twice: again.text,
      });
    }
  },
};
