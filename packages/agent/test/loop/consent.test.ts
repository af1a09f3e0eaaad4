import { existsSync } from "node:fs";
import { join } from "node:path";
import { consentLine } from "@holdfast/core/conversation";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import type { Asked, PersonsAnswer } from "../../src/loop/gate.js";
import { openStage, type Stage } from "./stage.js";

const opened: Stage[] = [];
afterEach(async () => {
  for (const stage of opened.splice(0)) await stage.close();
});

const write = { calls: [{ name: "write_file", args: { file_path: "r.txt", content: "model's\n" } }] };
/** The model made r.txt, a person rewrote it, and the model says that it may be deleted. */
async function consenting(parts: Partial<AgentParts>): Promise<Stage> {
  const first = await openStage([write, { text: "Written." }]);
  await first.turn("Write it.");
  first.write("r.txt", "the person's\n");
  const nodes = [...first.manager.context.nodes.values()];
  const said = nodes.find(({ payload }) => payload.kind === "user_message");
  const args = { turn_id: said?.id ?? "", consent: ["r.txt"] };
  const restore = { calls: [{ name: "restore_files", args }] };
  const stage = await first.resume([restore, { text: "Done." }], parts);
  opened.push(stage);
  return stage;
}

function endedCall({ events }: Stage) {
  return events.find((event) => event.kind === "call_ended")?.call;
}

describe("a call that consents for the person", () => {
  it.each(["auto-edit", "yolo"] as const)("is denied in %s where nobody is there", async (mode) => {
    const stage = await consenting({ mode });
    await stage.turn("Put it back.");
    expect(endedCall(stage)).toMatchObject({ name: "restore_files", code: "files_refused" });
    expect(stage.read("r.txt")).toBe("the person's\n");
  });

  it("is asked about, with what is lost, whatever a rule allows", async () => {
    const asked: Asked[] = [];
    const answer: PersonsAnswer = { kind: "yes" };
    const stage = await consenting({
      mode: "yolo",
      rules: [{ tool: "*", decision: "allow" }],
      ask: async (question) => {
        asked.push(question);
        return answer;
      },
    });
    await stage.turn("Put it back.");
    const [question] = asked;
    if (question?.kind !== "restore") throw new Error("not asked about a restore");
    expect(question).toMatchObject({ tool: "restore_files", consent: ["r.txt"] });
    const lines = question.files.map((file) => consentLine(file, question.consent)).join("\n");
    expect(lines).toContain("r.txt: DELETED, in conflict (changed).");
    expect(existsSync(join(stage.root, "r.txt"))).toBe(false);
  });

  it("moves nothing where another plan was agreed to", async () => {
    const stage: Stage = await consenting({
      mode: "auto-edit",
      ask: async () => {
        stage.write("r.txt", "the person's, once more\n");
        return { kind: "yes" };
      },
    });
    await stage.turn("Put it back.");
    expect(endedCall(stage)).toMatchObject({ code: "files_refused" });
    expect(stage.read("r.txt")).toBe("the person's, once more\n");
  });
});
