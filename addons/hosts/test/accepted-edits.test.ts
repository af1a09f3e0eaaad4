import { join } from "node:path";
import { parse } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { Project, runHoldfast } from "../../../packages/cli/test/process.js";
import { Person } from "./person.js";

const edits = ["edit_file", "write_file", "safe_patch", "append_to_file", "update_section"];

describe("guard --accept-edits, as a hook of Claude Code", () => {
  // Claude was started in the project, and went into a folder of it.
  const project = new Project({ "sub/a.ts": "a\n" });
  const at = (name: string) => join(project.folder, name);
  const passing = [at("sub/a.ts"), at("b.ts"), "deep/er/new.ts"];
  const outside = ["../../a.ts", "/etc/hosts", `${project.folder}-b/a.ts`, ["a.ts", "/etc/hosts"], 7];
  const protectedFiles = [at(".git/config"), ".vscode/any.json", "pyrightconfig.json", at("gradlew")];
  const others = ["holdfast__delete_file", "holdfast__move_file", "holdfast__undo_edit", "db__edit_file"];
  const edit = {
    tool: "holdfast__edit_file",
    path: "a.ts" as unknown,
    mode: "acceptEdits",
    event: "PreToolUse",
  };
  const allow = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}\n';
  const cases = [
    ...edits.map((tool) => ({ ...edit, tool: `holdfast__${tool}`, said: allow })),
    ...passing.map((path) => ({ ...edit, path, said: allow })),
    ...[...outside, ...protectedFiles].map((path) => ({ ...edit, path, said: "" })),
    ...others.map((tool) => ({ ...edit, tool, said: "" })),
    ...["default", "plan", "auto", "dontAsk"].map((mode) => ({ ...edit, mode, said: "" })),
    { ...edit, event: "PostToolUse", said: "" },
  ];
  test.each(cases)(
    "$event of $tool on $path in mode $mode: $said",
    async ({ tool, path, mode, event, said }) => {
      const call = { tool_name: `mcp__${tool}`, tool_input: { file_path: path } };
      const about = { session_id: "s", hook_event_name: event, permission_mode: mode, cwd: at("sub") };
      const input = JSON.stringify({ ...about, ...call });
      const env = { CLAUDE_PROJECT_DIR: project.folder };
      const done = await runHoldfast(["guard", "--accept-edits"], { input, env });
      expect(done).toMatchObject({ code: 0, stdout: said, stderr: "" });
    },
  );

  test("ends with no code that blocks a call where it cannot judge", async () => {
    const failed = await runHoldfast(["guard", "--accept-edits"], { input: "no JSON" });
    expect(failed).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("setup claude --accept-edits", () => {
  const file = ".claude/settings.json";
  const texts = [
    '{\n  // mine\n  "hooks": { "Stop": [] }\n}\n',
    '{"permissions":{"deny":[]}}',
    '{\r\n\t"a": 1,\r\n}\r\n',
  ];
  test.each(texts)(
    "sets a hook of its own beside the guard's, and takes it out byte for byte: %j",
    async (text) => {
      const person = new Person({ [file]: text });
      const hooks = () => {
        const elements: readonly Element[] = parse(person.text(file)).hooks.PreToolUse;
        return elements.map(({ matcher, hooks: [hook] }) => [matcher, hook.command.split(" guard")[1]]);
      };
      const accepting = [edits.map((name) => `mcp__holdfast__${name}`).join("|"), " --accept-edits"];
      expect((await person.setUp(["claude", "--accept-edits", "--yes"])).code).toBe(0);
      expect(hooks()).toEqual([accepting]);
      for (const flags of [["--accept-edits"], ["--tools-only"]])
        expect((await person.setUp(["claude", ...flags, "--yes"])).stdout).toContain("nothing was changed");
      await person.setUp(["claude", "--guard", "--yes"]);
      await person.setUp(["claude", "--guard", "--on-mismatch", "refuse", "--yes"]);
      expect(hooks()).toEqual([accepting, [expect.stringContaining("Edit|"), " --on-mismatch refuse"]]);
      expect((await person.setUp(["claude", "--remove", "--yes"])).code).toBe(0);
      expect(person.text(file)).toBe(text);
    },
  );

  test("is for no other client", async () => {
    const person = new Person();
    expect(await person.setUp(["gemini", "--accept-edits", "--yes"])).toMatchObject({ code: 2, stdout: "" });
    expect(person.has(".gemini/settings.json")).toBe(false);
  });

  type Element = { readonly matcher: string; readonly hooks: readonly [{ readonly command: string }] };
});
