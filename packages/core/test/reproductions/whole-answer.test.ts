import { describe, expect, it } from "vitest";
import { eventsOfAnswer } from "./scene.js";

describe("an answer of a model", () => {
  it("is one event, so that no kill leaves half of it", async () => {
    const call = { kind: "tool_call", name: "read_file" } as const;
    const events = await eventsOfAnswer([
      { kind: "thought", text: "Both are needed." },
      { kind: "text", text: "I read both files." },
      { ...call, callId: "a", args: { file_path: "a" } },
      { ...call, callId: "b", args: { file_path: "b" } },
    ]);
    expect(events).toBe(1);
  });
});
