import { createHash } from "node:crypto";
import type { ScriptedCall } from "@holdfast/agent";
import type { Step } from "./run-steps.js";
import * as story from "./story.js";
import { cart, editedByHand, file, files, patched, recovered, roundedUp } from "./story.js";

/**
 * The tour: how a model works with files whose state is verified, what happens when it errs or somebody else is faster, and
 * how conversation and files go back together. Each step is a turn of the agent, or a command of its user.
 */
export function tourSteps(): readonly Step[] {
  return [
    readStep,
    patchStep,
    mismatchStep,
    blindOverwriteStep,
    ambiguousStep,
    undoStep,
    taskStep,
    rewindStep,
  ];
}

/** The hash of the newest state that the model was shown, put in by the script as a model would copy it. */
const base = `{{sha256:${file}}}`;

function patch(unified_diff: string): ScriptedCall {
  return { name: "safe_patch", args: { file_path: file, unified_diff, base_content_sha256: base } };
}

const readStep: Step = {
  title: "The user names a file with @; the model reads another",
  why: "Both come as states: a version, and the SHA-256 of the bytes on disk. What @ names needs no read.",
  act: async (stage) => {
    const { replies } = await stage.turn(
      `The totals in @${file} ignore the count. What do we do about it?`,
      [
        {
          text: "I look at the rules first.",
          calls: [{ name: "read_file", args: { file_path: "rules.md" } }],
        },
        { text: "Both totals have to multiply by item.count. Shall I?" },
      ],
      { head: 4 },
    );
    const [rules] = replies;
    const { sent } = stage;
    stage.check("the file stood before the model with the user's words", sent.includes(asJson(cart)));
    stage.check("its hash is the one that sha256sum gives", sent.includes(sha256(stage.disk(file))));
    stage.check("the other came back as it is on disk", rules?.text.includes(files["rules.md"]) === true);
  },
};

const patchStep: Step = {
  title: "Two changes in one patch, with wrong line numbers",
  why: "Models count badly. What a hunk says must stand in the file; where it says it need not.",
  act: async (stage) => {
    const answers = [{ calls: [patch(story.twoHunks)] }, { text: "Both totals count pieces now." }];
    const { replies, asked } = await stage.turn("Yes, both.", answers, { head: 6, tail: 4 });
    const [reply] = replies;
    stage.check(
      "the user saw what will really be applied",
      asked[0]?.includes("@@ 1 of 2: lines 7-13 @@") === true,
    );
    stage.check(
      "both hunks were put where their lines stand",
      reply?.code === "applied" && stage.disk(file) === patched,
    );
    const told = [asked[0], reply?.text].every((text) => text?.includes("line number (line 31 → 9)"));
    stage.check("every repair is told, to the user and to the model", told);
  },
};

const mismatchStep: Step = {
  title: "Somebody else changes the same line; recovery in one step",
  why: "The patch names a state that is gone. It is refused, with all that the next one needs: no second read.",
  act: async (stage) => {
    stage.somebody(`opens ${file} in an editor, comments on the price, saves`, file, editedByHand);
    const { replies, asked } = await stage.turn(
      "An item needs a name.",
      [
        { calls: [patch(story.staleHunk)] },
        { text: "Somebody was faster: the same on the new state.", calls: [patch(story.freshHunk)] },
        { text: "Items have a name now." },
      ],
      { head: 11 },
    );
    const [refused, applied] = replies;
    stage.check("refused as state_mismatch", refused?.code === "state_mismatch" && !refused.success);
    stage.check(
      "the answer says what changed, and names the state that is there now",
      refused?.text.includes("\n+  readonly price: number; // in cents\n") === true &&
        refused.text.includes(sha256(editedByHand)),
    );
    stage.check("not a byte was written: the human's edit is safe", refused?.disk === editedByHand);
    stage.check("nobody was asked about it: only about the one that fits", asked.length === 1);
    stage.check("applied", applied?.code === "applied");
    stage.check("the disk holds the human's edit and the model's", stage.disk(file) === recovered);
  },
};

const blindOverwriteStep: Step = {
  title: "A blind overwrite",
  why: "Writing a whole file over one that is there needs the hash of what is to be replaced.",
  act: async (stage) => {
    const blind = { name: "write_file", args: { file_path: file, content: "export {};\n" } };
    const answers = [
      { calls: [blind] },
      { text: "Not done: I would have to name the state that I replace." },
    ];
    const { replies, asked } = await stage.turn("Empty the file.", answers, { head: 3 });
    const [reply] = replies;
    stage.check("refused as missing_base", reply?.code === "missing_base" && !reply.success);
    stage.check("nobody was asked about what cannot be", asked.length === 0);
    stage.check("the file is untouched", stage.disk(file) === recovered);
  },
};

const ambiguousStep: Step = {
  title: "A hunk that fits two places",
  why: "Two possible places are a refusal, never a guess.",
  act: async (stage) => {
    const answers = [{ calls: [patch(story.ambiguousHunk)] }, { text: "Which of the two do you mean?" }];
    const { replies } = await stage.turn("Let the sum begin at 0.0.", answers, { head: 8 });
    const [reply] = replies;
    const named = story.ambiguousLines.every((line) => reply?.text.includes(String(line)) === true);
    stage.check(
      `refused as ambiguous, naming lines ${story.ambiguousLines.join(" and ")}`,
      reply?.code === "ambiguous" && named,
    );
    stage.check("the file is untouched", stage.disk(file) === recovered);
  },
};

const undoStep: Step = {
  title: "Undo",
  why: "Every state that a tool replaced is kept, outside the project. The user takes the last change back.",
  act: async (stage) => {
    await stage.command("/undo");
    stage.check(
      "the disk holds again, byte for byte, what the human saved",
      stage.disk(file) === editedByHand,
    );
  },
};

const summary = "totalPrice rounds up; totalGrams needs no change.";

const taskStep: Step = {
  title: "A task on a branch of its own, merged by its summary",
  why: "What it took stays on the branch; what came of it goes on, with the hashes of the files it changed.",
  act: async (stage) => {
    const { replies } = await stage.turn(
      "Round prices up to whole cents, as a task.",
      [
        { calls: [{ name: "task_start", args: { name: "round up" } }] },
        { calls: [{ name: "read_file", args: { file_path: file } }] },
        { calls: [patch(story.roundingHunk)] },
        { calls: [{ name: "task_complete", args: { summary } }] },
        { text: "Prices are rounded up." },
      ],
      { head: 2 },
    );
    const [, , changed, merged] = replies;
    stage.check("applied", changed?.code === "applied" && stage.disk(file) === roundedUp);
    stage.check("the summary stands on the branch it was started from", merged?.success === true);
    const { sent } = stage;
    stage.check(
      "the next prompt holds the summary and the change's hashes, not the steps",
      sent.includes(summary) && sent.includes(sha256(roundedUp).slice(0, 12)) && !sent.includes("Math.ceil"),
    );
  },
};

const rewindStep: Step = {
  title: "Back to before the task, with the files",
  why: "Each turn knows the state of every file. All files go back, or none; what others changed is left.",
  act: async (stage) => {
    await stage.command("/history rewind --files restore");
    stage.check("the file is, byte for byte, as it was then", stage.disk(file) === editedByHand);
    await stage.turn("We leave prices as they are.", [{ text: "Good. Nothing is rounded." }]);
    stage.check("the model knows nothing of the task any more", !stage.sent.includes(summary));
    const tasks = await stage.command("/task list");
    stage.check("the task's branch is still there, to go on from", tasks.includes("round up"));
  },
};

function asJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
