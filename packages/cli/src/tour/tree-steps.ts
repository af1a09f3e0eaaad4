import type { Step } from "./run-steps.js";
import * as story from "./story.js";
import { editedByHand, file, type Known, roundedUp } from "./story.js";

/** The other half: the conversation is a tree, and the files follow where it goes. */
export function treeSteps(known: Known): readonly Step[] {
  const start = { turn: "" };
  return [taskStep(known, start), rewindStep(start)];
}

/** Where the conversation stood before the task. */
interface TaskStart {
  turn: string;
}

function taskStep(known: Known, start: TaskStart): Step {
  return {
    title: "A task on a branch of its own, merged by its summary",
    why: "What it took stays on the branch; what came of it goes on, with the hashes of the files it changed.",
    act: async (stage) => {
      stage.user("Round prices up to whole cents.");
      start.turn = stage.head();
      await stage.model("task_start", { name: "round up" });
      const read = await stage.model("read_file", { file_path: file }, 1);
      known.hash = /sha256="([0-9a-f]{64})"/.exec(read.text)?.[1] ?? "";
      const args = { file_path: file, unified_diff: story.roundingHunk, base_content_sha256: known.hash };
      const reply = await stage.model("safe_patch", args, 1);
      stage.check("applied", reply.code === "applied" && stage.disk(file) === roundedUp);
      const summary = "totalPrice rounds up; totalGrams needs no change.";
      const merged = await stage.model("task_complete", { summary }, 3);
      stage.check("the summary stands on the branch it was started from", merged.success);
      const prompt = stage.prompt();
      stage.check(
        "the next prompt holds the summary and the change's hashes, not the steps",
        prompt.includes(summary) && prompt.includes(file) && !prompt.includes("Math.ceil"),
      );
    },
  };
}

function rewindStep(start: TaskStart): Step {
  return {
    title: "Back to before the task, with the files",
    why: "Each turn knows the state of every file. All files go back, or none; what others changed is left.",
    act: async (stage) => {
      const reply = await stage.model("rewind", { turn_id: start.turn, files: "restore" }, 2);
      stage.check("the head is back", reply.success);
      stage.check("the file is, byte for byte, as it was then", stage.disk(file) === editedByHand);
      const history = await stage.model("history_view", {}, 0, 4);
      stage.check("the task's branch is still there, to go on from", history.text.includes("round up"));
    },
  };
}
