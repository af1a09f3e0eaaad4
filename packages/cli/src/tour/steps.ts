import { createHash } from "node:crypto";
import type { Step } from "./run-steps.js";
import * as story from "./story.js";
import { cart, editedByHand, file, type Known, patched, recovered } from "./story.js";
import { treeSteps } from "./tree-steps.js";

/**
 * The tour: how a model works with a file whose state is verified, and what happens to it when it errs
 * or somebody else is faster. A tour has a memory of its own, as the model has: the hashes it was given.
 */
export function tourSteps(): readonly Step[] {
  const known = { hash: "" };
  return [
    readStep(known),
    patchStep(known),
    mismatchStep(known),
    recoveryStep(known),
    blindOverwriteStep(),
    ambiguousStep(known),
    undoStep(),
    ...treeSteps(known),
  ];
}

function readStep(known: Known): Step {
  return {
    title: "Read",
    why: "An answer names the state it shows: a version, and the SHA-256 of the bytes on disk.",
    act: async (stage) => {
      const reply = await stage.model("read_file", { file_path: file }, 8);
      known.hash = hashIn(reply.text);
      stage.check("the text came back as it is on disk", reply.text.includes(cart));
      stage.check("the hash is the one that sha256sum gives", known.hash === sha256(stage.disk(file)));
    },
  };
}

function patchStep(known: Known): Step {
  return {
    title: "Two changes in one patch, with wrong line numbers",
    why: "Models count badly. What a hunk says must stand in the file; where it says it need not.",
    act: async (stage) => {
      const args = { file_path: file, unified_diff: story.twoHunks, base_content_sha256: known.hash };
      const reply = await stage.model("safe_patch", args, 6, 4);
      known.hash = hashIn(reply.text);
      stage.check(
        "both hunks were put where their lines stand",
        reply.code === "applied" && stage.disk(file) === patched,
      );
      stage.check("every repair is told", /line number/.test(reply.text));
    },
  };
}

function mismatchStep(known: Known): Step {
  return {
    title: "Somebody else saves the file; the model does not know",
    why: "Its next patch names a state that is gone. It is refused, and the answer brings what changed.",
    act: async (stage) => {
      stage.somebody(`opens ${file} in an editor, adds a comment at the top, saves`, file, editedByHand);
      const args = { file_path: file, unified_diff: story.staleHunk, base_content_sha256: known.hash };
      const reply = await stage.model("safe_patch", args, 5, 6);
      const namesAnother = hashIn(reply.text) !== known.hash;
      known.hash = hashIn(reply.text);
      stage.check("refused as state_mismatch", reply.code === "state_mismatch" && !reply.success);
      stage.check(
        "the answer says what changed, and names the state that is there now",
        reply.text.includes("\n+// Prices are in cents.\n") && namesAnother,
      );
      stage.check("not a byte was written: the human's edit is safe", stage.disk(file) === editedByHand);
    },
  };
}

function recoveryStep(known: Known): Step {
  return {
    title: "Recovery in one step",
    why: "The refusal gave the model all it needs: no second read, only the same patch with the new hash.",
    act: async (stage) => {
      const args = { file_path: file, unified_diff: story.staleHunk, base_content_sha256: known.hash };
      const reply = await stage.model("safe_patch", args, 10);
      known.hash = hashIn(reply.text);
      stage.check("applied", reply.code === "applied");
      stage.check("the disk holds the human's edit and the model's", stage.disk(file) === recovered);
    },
  };
}

function blindOverwriteStep(): Step {
  return {
    title: "A blind overwrite",
    why: "Writing a whole file over one that is there needs the hash of what is to be replaced.",
    act: async (stage) => {
      const reply = await stage.model("write_file", { file_path: file, content: "export {};\n" }, 3);
      stage.check("refused as missing_base", reply.code === "missing_base" && !reply.success);
      stage.check("the file is untouched", stage.disk(file) === recovered);
    },
  };
}

function ambiguousStep(known: Known): Step {
  return {
    title: "A hunk that fits two places",
    why: "Two possible places are a refusal, never a guess.",
    act: async (stage) => {
      const args = { file_path: file, unified_diff: story.ambiguousHunk, base_content_sha256: known.hash };
      const reply = await stage.model("safe_patch", args, 8);
      const named = story.ambiguousLines.every((line) => reply.text.includes(String(line)));
      stage.check(
        `refused as ambiguous, naming lines ${story.ambiguousLines.join(" and ")}`,
        reply.code === "ambiguous" && named,
      );
      stage.check("the file is untouched", stage.disk(file) === recovered);
    },
  };
}

function undoStep(): Step {
  return {
    title: "Undo",
    why: "Every state that a tool replaced is kept, outside the project.",
    act: async (stage) => {
      const reply = await stage.model("undo_edit", { file_path: file }, 10);
      stage.check("the last write is taken back", reply.success && reply.code === "applied");
      stage.check(
        "the disk holds again, byte for byte, what the human saved",
        stage.disk(file) === editedByHand,
      );
    },
  };
}

function hashIn(text: string): string {
  return /sha256="([0-9a-f]{64})"/.exec(text)?.[1] ?? "";
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
