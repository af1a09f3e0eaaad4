import { type Line, span } from "@holdfast/agent/shown";
import type { WholeText } from "../screen/update.js";

/** What only Holdfast has, each with how one tries it in this session. */
const stops: readonly (readonly [what: string, says: string, tried: string])[] = [
  [
    "A change counts only for the state that the model has read",
    "If somebody saves the file meanwhile, the change is refused, and the model reads what is there now.",
    "Ask for a change; before you answer y, change the same line in your editor.",
  ],
  [
    "You see what will be written",
    "The diff of a question is the one that is applied, with all that was repaired in it. Parts have numbers.",
    "Ask for two changes in one file, and answer 1 and Enter.",
  ],
  [
    "Back to any prompt, files too",
    "Before a rewind you read for each file what happens to it, and whose work that is.",
    "Esc Esc, choose a prompt, r.",
  ],
  [
    "Nothing is lost in the tree",
    "What you went back from is a branch: compare it, go on with it, or send its prompt otherwise.",
    "/history view; d on two rows compares them, e edits a prompt.",
  ],
  [
    "Each state of each file",
    "Whoever wrote it: the model, a command, you. Any of them can be put back.",
    "/changes, Enter; /undo takes the last change back.",
  ],
  [
    "What the model sees, and why",
    "What fills the prompt, what a clearing would cost, and where a line of a file stands in it.",
    "/context; /why src/a.ts:12.",
  ],
];

/** The tour in a session; `holdfast tour` plays one on a folder of its own. */
export const tour: WholeText = {
  title: [span("Tour")],
  isProse: true,
  lines: [
    ...stops.flatMap(([what, says, tried]): readonly Line[] => [
      [span(what, "heading")],
      [span(says)],
      [span("Try it: ", "accent"), span(tried)],
      [],
    ]),
    [
      span("holdfast tour", "code"),
      span(" plays all of this on a folder of its own, with a scripted model."),
    ],
  ],
};
