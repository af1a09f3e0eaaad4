import { describe, expect, it } from "vitest";
import { hangMs, until } from "../../../../test/until.js";
import { anthropicWire } from "../../../agent/test/loopback/index.js";
import { done, provided, scripted } from "./provided.js";

describe("faults that people met", () => {
  it("a provider's library writes nothing to standard error", async () => {
    const model = { name: "anthropic/claude-sonnet-4-5" };
    const ground = await provided(anthropicWire, [done], {}, { model });
    expect(await ground.run(["-p", "Hello."])).toMatchObject({ code: 0, stdout: "Done.\n", stderr: "" });
  });

  it.each(["read", "edit", "list", "search", "undo", "tour", "agent"])("-p %s is a prompt", async (word) => {
    const ground = scripted([done]);
    expect(await ground.run(["-p", word])).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect((await ground.bare.run(["-c", "-p", "/history view"])).stdout).toContain(`user: ${word}`);
  });

  it("a summary of the branch that goes on is not told as one of another", async () => {
    const said = "It was about greetings. ".repeat(20);
    const ground = await provided(anthropicWire, [done, { text: said }, done]);
    await ground.run(["-p", "Say much about greetings."]);
    const summed = await ground.run(["-c", "-p", "/history summarize_branch"]);
    expect(summed.code, summed.stderr).toBe(0);
    await ground.run(["-c", "-p", "Go on."]);
    const last = ground.server.requests.at(-1)?.text ?? "";
    expect(last).not.toContain("another branch");
  });

  it("a session that is in use is told by its own code, whatever asks for it", async () => {
    const ground = scripted([{ text: "Slowly.", delayMs: hangMs }]);
    const busy = ground.begin(["-p", "Take long.", "-o", "stream-json"], ["ignore", "pipe", "ignore"]);
    let said = "";
    busy.stdout?.on("data", (data) => (said += data));
    await until(() => said.includes('"init"'));
    const compact = await ground.run(["-c", "-p", "/compact"]);
    const label = await ground.run(["-c", "-p", "/history label here"]);
    busy.kill("SIGKILL");
    expect([compact.code, label.code], compact.stderr).toEqual([7, 7]);
  });
});
