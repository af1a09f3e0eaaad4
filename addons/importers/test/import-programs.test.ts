import { describe, expect, it } from "vitest";
import {
  ContextRenderer,
  renderContext,
  toOpenAIResponses,
} from "../../../packages/core/src/context/index.js";
import { checkEveryProvider } from "../../../packages/core/test/conversation/provider-checks.js";
import { folded, importedText, outlineOf, sessionOf } from "./import-support.js";

const trees: readonly (readonly [string, readonly string[]])[] = [
  [
    "codex-parallel.jsonl",
    [
      "model <skills_instructions>",
      "model <environment_context>",
      'user <image name=[Image #1] path="dot.png"> +1',
      "model (I look at both.) ",
      "model I read the file and the picture.",
      'call exec_command {"cmd":"cat a.txt","yield_time_ms":500}',
      'call view_image {"path":"dot.png"}',
      'call shell_command {"command":"echo hi"}',
      "result exec_command Chunk ID: 7b8e44",
      "result view_image  +1",
      "result shell_command unsupported call: shell_command",
      "model (Now I change it.) ",
      'call apply_patch {"input":"*** Begin Patch\\n*** Update File: a.txt\\n@@\\n-beta\\n+BETA\\n*** End Patch"}',
      'call update_plan {"plan":[{"step":"do it","status":"completed"}]}',
      "person Web search: beta",
      "result apply_patch unsupported custom tool call: apply_patch",
      "result update_plan unsupported call: update_plan",
      "model Beta is BETA now. <",
    ],
  ],
  [
    "codex-compacted.jsonl",
    [
      "model <skills_instructions>",
      "model <environment_context>",
      "user Read a.txt.",
      "model (First.) ",
      "model I look.",
      'call exec_command {"cmd":"cat a.txt","yield_time_ms":500}',
      'call view_image {"path":"dot.png"}',
      "result exec_command Chunk ID: 32c135",
      "result view_image  +1",
      "model SUMMARY: alpha and beta were read.",
      "summary SUMMARY: alpha and beta were read.",
      'call exec_command {"cmd":"echo later","yield_time_ms":500}',
      "result exec_command Chunk ID: 1cf29c",
      "model (Last.) ",
      'call exec_command {"cmd":"sleep 20","yield_time_ms":25000}',
      'call exec_command {"cmd":"echo par","yield_time_ms":500} <',
    ],
  ],
  [
    "gemini-parallel.jsonl",
    [
      "model <session_context>",
      "user Make beta BETA; look at @dot.png. +1",
      "model (**Looking** I look at both.) ",
      "model I read the file and the picture.",
      'call read_file {"file_path":"a.txt"}',
      'call read_file {"file_path":"dot.png"}',
      'call read_file {"file_path":"missing.txt"}',
      "result read_file alpha",
      "result read_file Binary content provided (1 item(s)). +1",
      "result read_file error File not found: /project/missing.txt",
      'call replace {"file_path":"a.txt","old_string":"beta","new_string":"BETA","instruction":"as asked"}',
      'call run_shell_command {"command":"echo hi","description":"say hi"}',
      "result replace Successfully modified file: /project/a.txt (1 replacements). Here is the updated code:",
      "result run_shell_command <untrusted_context>",
      "model Beta is BETA now. <",
    ],
  ],
  [
    "gemini-compressed.jsonl",
    [
      "model <session_context>",
      "user Read a.txt. x x x ",
      "model I look.",
      'call read_file {"file_path":"a.txt"}',
      "result read_file alpha",
      "model Read.",
      "summary <state_snapshot>so far</state_snapshot>",
      "model Got it. Thanks for the additional context!",
      "user Go on.",
      "model On. <",
    ],
  ],
  [
    "opencode-child.jsonl",
    [
      'model Called the Read tool with the following input: {"filePath":"/project/dot.png"}',
      "model Image read successfully",
      'user "Make beta BETA." +1',
      "model (I look.) ",
      "model I read.",
      'call read {"filePath":"a.txt"}',
      'call read {"filePath":"dot.png"}',
      'call bash {"command":"echo hi","description":"say hi"}',
      "result read <path>/project/a.txt</path>",
      "result read Image read successfully +1",
      "result bash hi",
      "model A helper.",
      'call task {"description":"look","prompt":"Look at a.txt","subagent_type":"general"}',
      '  result task <task id="ses_df8cc804cffejJBS26elA3xG1T" state="completed">',
      '  call edit {"filePath":"a.txt","oldString":"beta","newString":"BETA"}',
      '  call read {"filePath":"missing.txt"}',
      "  result edit Edit applied successfully.",
      "  result read error File not found: /project/missing.txt",
      "  model Done. <",
      "  task look (@general subagent)",
      "  user Look at a.txt",
      '  call read {"filePath":"a.txt"}',
      "  result read <path>/project/a.txt</path>",
      "  model Sub says alpha.",
    ],
  ],
  [
    "copilot-day.jsonl",
    [
      "user Please do as we said.",
      "model I look at both.",
      'call view {"path":"/project/a.txt"}',
      'call view {"path":"/project/missing.txt"}',
      "result view alpha",
      "result view error Path does not exist",
      "model Now I change it.",
      'call edit {"path":"/project/a.txt","old_str":"beta","new_str":"BETA"}',
      "result edit File /project/a.txt updated with changes.",
      'call bash {"command":"echo hi","description":"Runs it"}',
      "result bash hi",
      "model Beta is BETA now. <",
    ],
  ],
  [
    "qwen-day.jsonl",
    [
      "user Please do as we said.",
      "model I look at both.",
      'call read_file {"file_path":"/project/a.txt"}',
      'call read_file {"file_path":"/project/missing.txt"}',
      "result read_file alpha",
      "result read_file error File not found: /project/missing.txt",
      "model Now I change it.",
      'call edit {"file_path":"/project/a.txt","old_string":"beta","new_string":"BETA"}',
      "result edit The file: /project/a.txt has been updated. Showing lines 1-3 of 3 from the edited file:",
      'call run_shell_command {"command":"echo hi","description":"Runs it","is_background":false}',
      "result run_shell_command Command: echo hi",
      "model Beta is BETA now. <",
    ],
  ],
  [
    "opencode-killed.jsonl",
    [
      'user "Read a.txt"',
      "model I read.",
      'call read {"filePath":"a.txt"}',
      "result read <path>/project/a.txt</path>",
      "summary SUMMARY: alpha and beta.",
      "model Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed.",
      'call read {"filePath":"a.txt"}',
      'call bash {"command":"sleep 30","description":"wait"}',
      "result read <path>/project/a.txt</path> <",
    ],
  ],
];

describe("a session that a real program wrote", () => {
  it.each(trees)("has its tree here: %s", (name, expected) => {
    const session = importedText(sessionOf(name));
    expect(outlineOf(session)).toEqual(expected);
    expect(session.problems).toEqual([]);
  });

  it.each(trees)("is a prompt that every provider takes: %s", (name) => {
    const { context } = folded(importedText(sessionOf(name)));
    checkEveryProvider(context, new ContextRenderer(), 5_000);
  });

  it("is the same from the export that opencode makes", () => {
    const exported = importedText(sessionOf("opencode-export.json"));
    const child = "ses_df8cc804cffejJBS26elA3xG1T";
    const stored = sessionOf("opencode-child.jsonl").split("\n");
    const own = stored.filter(
      (line) => line !== "" && ![JSON.parse(line).id, JSON.parse(line).sessionID].includes(child),
    );
    const alone = importedText(own.join("\n"));
    expect(outlineOf(exported)).toEqual(outlineOf(alone));
    expect(exported.problems).toEqual([]);
  });
});

describe("a rollout of Codex", () => {
  it("gives back its reasoning to the letter", () => {
    const text = sessionOf("codex-parallel.jsonl");
    const { context } = folded(importedText(text));
    const target = { provider: "openai", model: "scripted" };
    const { input } = toOpenAIResponses(renderContext(context, { target }).contents).body;
    const reasoning = text.split("\n").flatMap((line) => {
      const { payload = {} } = line === "" ? {} : JSON.parse(line);
      const { internal_chat_message_metadata_passthrough: _, ...item } = payload;
      return item.type === "reasoning" ? [JSON.stringify(item)] : [];
    });
    expect(reasoning).toHaveLength(2);
    expect(input.filter(({ type }) => type === "reasoning").map((item) => JSON.stringify(item))).toEqual(
      reasoning,
    );
    expect(input.flatMap((item) => ("id" in item ? [item.id] : []))).toEqual([
      ...["rs_2", "msg_3", "fc_4", "fc_5", "fc_6", "rs_8", "fc_10", "msg_13"],
    ]);
  });
});
