import { execFileSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { anthropicWire, chatWire, responsesWire } from "../../../agent/test/loopback/index.js";
import { Project, runHoldfast } from "../process.js";
import { linesOf, provided } from "./provided.js";

const author = {
  GIT_AUTHOR_NAME: "n",
  GIT_AUTHOR_EMAIL: "e",
  GIT_COMMITTER_NAME: "n",
  GIT_COMMITTER_EMAIL: "e",
};
const hello = { text: "Hello." };
const asks = ({ body }: { readonly body: unknown }) => {
  // A cast: the server took the request, so that this is its form.
  const { model, thinking, output_config, reasoning } = body as Readonly<Record<string, unknown>>;
  return { model, thinking, output_config, reasoning };
};

describe("a session that is gone on with", () => {
  it("has its model, effort, mode and cost", async () => {
    const { run, server } = await provided(anthropicWire, [hello, hello, hello, hello, hello]);
    const first = ["--model", "anthropic/claude-opus-4-5", "--effort", "high", "--approval-mode", "plan"];
    expect((await run(["-p", "Hello.", ...first])).code).toBe(0);
    const cost = async () => Number(/\$([\d.]+)/u.exec((await run(["-c", "-p", "/cost"])).stdout)?.[1]);
    const spent = await cost();
    expect(spent).toBeGreaterThan(0);
    const ran = await run(["-c", "-p", "Again.", "-o", "stream-json"]);
    expect(linesOf(ran)[0]).toMatchObject({ model: "anthropic/claude-opus-4-5", mode: "plan" });
    const [one, two] = server.requests.map(asks);
    expect(one).toMatchObject({ model: "claude-opus-4-5", thinking: { budget_tokens: 20_000 } });
    expect(two).toEqual(one);
    expect(await cost()).toBeGreaterThan(spent);
    const flags = ["--model", "anthropic/claude-sonnet-4-6", "--effort", "low", "--approval-mode", "ask"];
    const other = await run(["-c", "-p", "Again.", "-o", "stream-json", ...flags]);
    expect(linesOf(other)[0]).toMatchObject({ model: "anthropic/claude-sonnet-4-6", mode: "ask" });
    expect(server.requests.map(asks).at(-1)).toMatchObject({ output_config: { effort: "low" } });
  });

  it("is no way to do more without asking than the settings allow: it may be a stranger's", async () => {
    const { run } = await provided(anthropicWire, [hello, hello]);
    expect((await run(["-p", "Hello.", "--approval-mode", "yolo"])).code).toBe(0);
    const ran = await run(["-c", "-p", "Again.", "-o", "stream-json"]);
    expect(linesOf(ran)[0]).toMatchObject({ mode: "ask" });
  });

  it("says so where its model cannot be opened any more", async () => {
    const { run, home, server } = await provided(chatWire, [hello, hello]);
    expect((await run(["-p", "Hello."])).code).toBe(0);
    const providers = { other: { baseUrl: server.url, keyEnv: "LOOPBACK_KEY" } };
    home.put("settings.jsonc", JSON.stringify({ model: { name: `other/${chatWire.model}`, providers } }));
    const ran = await run(["-c", "-p", "Again."]);
    expect(ran).toMatchObject({ code: 0, stdout: "Hello.\n" });
    expect(ran.stderr).toContain(`The session worked with ${chatWire.provider}/${chatWire.model}`);
  });
});

describe("a model that can think", () => {
  it("thinks at medium effort unless a person says otherwise, and sums up its thoughts", async () => {
    const claude = await provided(anthropicWire, [hello]);
    expect((await claude.run(["-p", "Hello.", "--model", "anthropic/claude-sonnet-5-5"])).code).toBe(0);
    expect(claude.server.requests.map(asks)[0]).toMatchObject({
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "medium" },
    });
    const gpt = await provided(responsesWire, [hello]);
    expect((await gpt.run(["-p", "Hello.", "--model", "openai/gpt-6.2-sol"])).code).toBe(0);
    expect(gpt.server.requests.map(asks)[0]).toMatchObject({
      reasoning: { effort: "medium", summary: "auto" },
    });
  });
});

describe("the session of a folder", () => {
  it("is found again after the folder moved, and from another worktree of its repository", async () => {
    const { run, project, env } = await provided(anthropicWire, [hello, hello, hello, hello]);
    const at = (cwd: string, args: readonly string[]) => runHoldfast(args, { cwd, env });
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd: project.folder, env: { ...process.env, ...author } });
    expect((await run(["-p", "Hello."])).code).toBe(0);
    const moved = `${project.folder}-moved`;
    renameSync(project.folder, moved);
    onTestFinished(() => rmSync(moved, { recursive: true, force: true }));
    const after = await at(moved, ["-c", "-p", "Again."]);
    expect(after, after.stderr).toMatchObject({ code: 0 });
    expect(after.stderr).toContain(`This session began in ${project.folder}`);
    const again = await at(moved, ["-c", "-p", "Once more."]);
    expect([again.code, again.stderr]).toEqual([0, expect.not.stringContaining("began in")]);
    renameSync(moved, project.folder);
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "x");
    git("worktree", "add", "-q", `${moved}-beside`);
    onTestFinished(() => rmSync(`${moved}-beside`, { recursive: true, force: true }));
    const beside = await at(`${moved}-beside`, ["-c", "-p", "Again."]);
    expect(beside.stderr).toContain(`This session began in ${project.folder}`);
    const other = new Project({});
    const none = await at(other.folder, ["-c", "-p", "Again."]);
    expect(none).toMatchObject({ code: 42 });
    expect(none.stderr).toContain("There is no session of this folder");
  });
});
