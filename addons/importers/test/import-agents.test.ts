import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ContextRenderer } from "../../../packages/core/src/context/index.js";
import type { BesideFile } from "../../../packages/core/src/conversation/import/index.js";
import { checkEveryProvider } from "../../../packages/core/test/conversation/provider-checks.js";
import { describeSessionFile } from "../src/index.js";
import { faultsOf } from "./import-counts.js";
import { folded, importedText, nodesOf, outlineOf, sessionOf } from "./import-support.js";

/** The files of one session; the first is its own, the others are of its subagents. See `imports/README.md`. */
function family(folder: string): readonly [BesideFile, ...BesideFile[]] {
  const url = new URL(`imports/${folder}/`, import.meta.url);
  const files = readdirSync(url).map((name) => ({ name, text: readFileSync(new URL(name, url), "utf8") }));
  const isMain = ({ name, text }: BesideFile) =>
    name.startsWith("session-") || (name.startsWith("rollout-") && !text.includes('"parent_thread_id"'));
  const main = files.find(isMain);
  if (main === undefined) throw new Error("no session");
  return [main, ...files.filter((file) => file !== main)];
}

const folders = ["codex-agents", "codex-agents-v2", "gemini-agents"];

/** The tree from the user's words on, with the beginnings of its lines. */
function treeOf(folder: string): string {
  const [main, ...beside] = family(folder);
  const lines = outlineOf(importedText(main.text, { beside }));
  return lines
    .slice(lines.findIndex((line) => line.startsWith("user ")))
    .map((line) => line.slice(0, 64).trimEnd())
    .join("\n");
}

/** Whether a text stands in a node, or in what it holds. */
function saidIn(folder: string): string {
  const [main, ...beside] = family(folder);
  return JSON.stringify(nodesOf(importedText(main.text, { beside })).map(({ payload }) => payload));
}

describe("subagents of a session that the real program wrote", () => {
  it.each(folders)("come in whole and sound, in any order: %s", (folder) => {
    const [main, ...beside] = family(folder);
    const session = importedText(main.text, { beside });
    expect(session.problems).toEqual([]);
    const { context } = folded(session);
    expect(faultsOf(context)).toEqual([]);
    checkEveryProvider(context, new ContextRenderer(), 5_000);
    const outcomes = [...context.tasks.values()].map(({ outcome }) => outcome).toSorted();
    expect(outcomes).toEqual(["complete", "complete", "open"]);
    const reversed = importedText(main.text, { beside: beside.toReversed() });
    expect(reversed.nodes).toBe(session.nodes);
  });

  it("of Codex that talk to each other are, too; what they repeat of their parent stands there once", () => {
    expect(treeOf("codex-agents-v2")).toMatchInlineSnapshot(`
      "user SCRIPT-agents please
      model (Two helpers.)
      model I ask two helpers.
      call spawn_agent {"task_name":"first","message":"SCRIPT-subone l
        call spawn_agent {"task_name":"second","message":"SCRIPT-subtw
          result spawn_agent {"task_name":"/root/first"}
          result spawn_agent {"task_name":"/root/second"}
          call wait_agent {"timeout_ms":20000}
          result wait_agent {"message":"Wait completed.","timed_out":f
          model Message Type: FINAL_ANSWER
          model Both helpers are back. <
          task subagent /root/second
          model You are now a newly spawned child agent. The preceding
          model You are an agent in a team of agents collaborating to
          model <multi_agent_mode>Any earlier instruction enabling pro
          user Message Type: NEW_TASK
          call wait_agent {"timeout_ms":20000}
          result wait_agent unsupported call: wait_agent
          model Both helpers are back.
        task subagent /root/first
        model You are now a newly spawned child agent. The preceding c
        model You are an agent in a team of agents collaborating to co
        model <multi_agent_mode>Any earlier instruction enabling proac
        user Message Type: NEW_TASK
        model Both helpers are back."
    `);
  });

  it("of gemini-cli are tasks below the calls that began them", () => {
    expect(treeOf("gemini-agents")).toMatchInlineSnapshot(`
      "user SCRIPT-agents please
      model (**Two helpers** )
      model I ask two helpers.
      call invoke_agent {"agent_name":"generalist","prompt":"SCRIPT-su
      call invoke_agent {"agent_name":"codebase_investigator","prompt"
        result invoke_agent Subagent 'generalist' finished.
        result invoke_agent Subagent 'codebase_investigator' finished.
        model Both helpers are back.
        user SCRIPT-holdfast please
        model ours
        call mcp_holdfast_read_file {"file_path":"a.txt"}
        call mcp_holdfast_read_file {"file_path":"nothere.txt"}
        result mcp_holdfast_read_file <untrusted_context>
        result mcp_holdfast_read_file <untrusted_context>
        call mcp_holdfast_edit_file {"file_path":"a.txt","edits":[{"ol
        call mcp_holdfast_write_file {"file_path":"new.txt","content":
        result mcp_holdfast_edit_file <untrusted_context>
        result mcp_holdfast_write_file <untrusted_context>
        model Edited. <
        task subagent generalist
        user
        model one looks
        call read_file {"file_path":"a.txt"}
        call read_file {"file_path":"dot.png"}
        result read_file alpha
        result read_file Binary content provided (1 item(s)). +1
        call complete_task {"result":{"response":"Helper one says alph
        result complete_task Output submitted and task completed.
        task subagent codebase_investigator
        user
        call read_file {"file_path":"b.txt"}
        result read_file bee
        call complete_task {"report":{"SummaryOfFindings":"bee","Explo
        result complete_task Output submitted and task completed."
    `);
  });

  it.each(folders)("lose no word and no call: %s", (folder) => {
    const said = saidIn(folder);
    for (const { text } of family(folder))
      for (const [, call] of text.matchAll(/"call_id":"([^"]+)"/g)) expect(said).toContain(`"${call}"`);
    for (const { text } of family(folder))
      for (const [, words] of text.matchAll(/"(?:text|content|encrypted_content)":"([A-Z][^"\\]+)"/g))
        expect(said).toContain(words);
  });

  it.each(folders)("alone are sessions: %s", (folder) => {
    for (const { text } of family(folder).slice(1)) {
      const session = importedText(text);
      expect(outlineOf(session).at(-1)).toMatch(/ <$/);
      expect(faultsOf(folded(session).context)).toEqual([]);
    }
  });

  it.each(folders)("stay with their session where a first line is lost: %s", (folder) => {
    const [main, ...beside] = family(folder);
    const whole = importedText(main.text, { beside }).nodes;
    const without = ({ name, text }: BesideFile) => ({
      name,
      text: `{\n${text.slice(text.indexOf("\n") + 1)}`,
    });
    const lost = [
      importedText(without(main).text, { beside }),
      ...beside.map((one) =>
        importedText(main.text, { beside: beside.map((file) => (file === one ? without(file) : file)) }),
      ),
    ];
    for (const session of lost) {
      expect(session.nodes).toBe(whole);
      expect(session.problems.map(({ line, what }) => `${line} ${what}`)).toEqual(["1 unreadable_line"]);
      expect(faultsOf(folded(session).context)).toEqual([]);
    }
  });

  it("of another session stay outside", () => {
    const [main] = family("codex-agents");
    const [, ...others] = family("codex-agents-v2");
    const beside = [...others, { name: "x.jsonl", text: "{}\n" }];
    expect(importedText(main.text, { beside }).nodes).toBe(importedText(main.text).nodes);
  });

  it("of Codex name the session that began them", () => {
    const [main, first] = family("codex-agents");
    const parent = describeSessionFile(main.text)?.sourceId;
    expect(parent).toMatch(/^[0-9a-f-]{36}$/);
    expect(describeSessionFile(first?.text ?? "")?.parentId).toBe(parent);
    expect(describeSessionFile(main.text)?.parentId).toBe(undefined);
  });
});

describe("what our server answered another agent is known as states", () => {
  const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
  const [chat] = family("gemini-agents");

  it.each([
    ["of Codex, which keeps a server's name beside that of the tool", sessionOf("codex-ours.jsonl")],
    ["of gemini-cli, which puts marks of its own around the answer", chat.text],
  ])("%s", (_, text) => {
    const session = importedText(text, { digest });
    const files = nodesOf(session).flatMap(({ payload }) =>
      payload.kind === "tool_result" ? (payload.files ?? []) : [],
    );
    const told = files.map(({ path, by }) => `${by} ${path}`);
    expect(told).toEqual(expect.arrayContaining(["seen a.txt", "tool new.txt"]));
    expect(faultsOf(folded(session).context)).toEqual([]);
  });
});
