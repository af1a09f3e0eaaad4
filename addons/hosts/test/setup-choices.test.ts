import { describe, expect, test } from "vitest";
import { changeYaml } from "../src/setup/change-yaml.js";
import { removalsFor, settingsFor } from "../src/setup/client-settings.js";
import { Person, wishesFor } from "./person.js";

const names = ["read_file", "read_many_files", "list_files", "search_files"];
const edits = ["edit_file", "write_file", "safe_patch", "append_to_file", "update_section"];
const ours = edits.map((name) => `|mcp__holdfast__${name}`).join("");

describe("what a person may choose", () => {
  const lists = [
    ["claude", ".claude/settings.json", '"mcp__holdfast__read_file"'],
    ["qwen", ".qwen/settings.json", '"mcp__holdfast__read_file"'],
    ["zed", ".config/zed/settings.json", '"mcp:holdfast:read_file"'],
  ] as const;
  // As people have them: comments, one line, tabs, lists of their own.
  const texts = [
    '{\n  // mine\n  "permissions": { "allow": ["Bash(ls)"], "deny": [] },\n  "tools": { "allowed": ["x"] }\n}\n',
    '{"permissions":{"allow":["Bash(ls)"]},"agent":{"tool_permissions":{"default":"confirm"}}}',
    '{\r\n\t"theme": "dark", /* stays */\r\n}\r\n',
  ];
  const cases = lists.flatMap((list) => texts.map((text) => [...list, text] as const));
  test.each(cases)(
    "%s: reads are allowed in %s, and taken back byte for byte",
    async (client, file, line, text) => {
      const person = new Person({ [file]: text });
      expect((await person.setUp([client, "--allow-reads", "--yes"])).code).toBe(0);
      const after = person.text(file);
      for (const name of names) expect(after).toContain(line.replace("read_file", name));
      expect((await person.setUp([client, "--allow-reads", "--yes"])).stdout).toContain(
        "nothing was changed",
      );
      expect((await person.setUp([client, "--remove", "--yes"])).code).toBe(0);
      expect(person.text(file)).toBe(text);
    },
  );

  test("hooks that run for the host's own edits run for ours, in the person's and the project's settings, and back", async () => {
    const hook = (matcher: string) =>
      `{ "matcher": "${matcher}", "hooks": [{ "type": "command", "command": "fmt" }] }`;
    const text = (matcher: string) =>
      `{ "hooks": { // mine\n  "PostToolUse": [${hook(matcher)}, ${hook("Bash")}, ${hook("*")}], "Stop": [${hook("Edit")}] } }\n`;
    const person = new Person({
      ".claude/settings.json": text("Edit|Write"),
      "work/.claude/settings.json": text("^(Edit|MultiEdit)$"),
    });
    const cwd = `${person.folder}/work`;
    const at = (args: readonly string[]) => person.setUp(args, {}, cwd);
    const told = await at(["claude", "--tools-only", "--yes"]);
    expect(told.stderr).toContain("PostToolUse Edit|Write: fmt (~/.claude/settings.json)");
    expect(told.stderr).toContain("PostToolUse ^(Edit|MultiEdit)$: fmt (~/work/.claude/settings.json)");
    expect((await at(["claude", "--formatters", "--yes"])).code).toBe(0);
    expect(person.text(".claude/settings.json")).toBe(text(`Edit|Write${ours}`));
    expect(person.text("work/.claude/settings.json")).toBe(text(`^(Edit|MultiEdit)$${ours}`));
    expect((await at(["claude", "--remove", "--yes"])).code).toBe(0);
    expect(person.text(".claude/settings.json")).toBe(text("Edit|Write"));
    expect(person.text("work/.claude/settings.json")).toBe(text("^(Edit|MultiEdit)$"));
  });

  test("gemini: reads are allowed in a policy file of ours, which goes unless a person changed it", async () => {
    const person = new Person();
    const file = ".gemini/policies/holdfast.toml";
    await person.setUp(["gemini", "--allow-reads", "--yes"]);
    expect(person.text(file)).toContain(`toolName = ${JSON.stringify(names)}`);
    expect((await person.setUp(["gemini", "--allow-reads", "--yes"])).stdout).toContain(
      "nothing was changed",
    );
    await person.setUp(["gemini", "--remove", "--yes"]);
    expect(person.has(file)).toBe(false);
    expect(await person.setUp(["cursor", "--allow-reads", "--yes"])).toMatchObject({ code: 2, stdout: "" });
    person.put(file, "# mine\n");
    await person.setUp(["gemini", "--remove", "--yes"]);
    expect(person.text(file)).toBe("# mine\n");
  });

  test("the guard alone leaves the agent's own tools", async () => {
    const person = new Person();
    await person.setUp(["claude", "--guard-only", "--yes"]);
    expect(person.has(".claude.json")).toBe(false);
    expect(person.text(".claude/settings.json")).toContain(" guard");
  });
});

describe("setup of continue", () => {
  const wishes = wishesFor({
    client: "continue",
    guard: false,
    program: { command: "node", args: ["/h.js"] },
  });
  const kept = [
    "name: a\nmodels:\n  - name: m # mine\n    provider: x\n",
    "mcpServers:\n- name: other\n  command: x\nmodels: []\n",
    "# mine\nmcpServers: # servers\n    - name: other\n      args:\n        - a\n\n# end\nname: a\n",
  ];
  test.each(kept)("puts the server into %j, twice the same, and takes it out", (text) => {
    const once = changeYaml(text, settingsFor(wishes));
    if (once.kind === "refusal") throw new Error(once.message);
    expect(once.text).toContain('args: ["/h.js","mcp","--rules-of","continue"]');
    expect(changeYaml(once.text, settingsFor(wishes))).toEqual(once);
    expect(changeYaml(once.text, removalsFor(wishes))).toEqual({ kind: "changed", text });
  });

  test("keeps what a person put beside ours, and leaves a list in another form alone", () => {
    const own =
      'mcpServers:\n  - name: holdfast\n    command: "old"\n    args: ["/old.js", "mcp", "--read-only"]\n    env:\n      A: b\n  - name: other\n';
    expect(changeYaml(own, settingsFor(wishes))).toMatchObject({
      text: own
        .replace('"old"', '"node"')
        .replace(
          '["/old.js", "mcp", "--read-only"]',
          '["/h.js","mcp","--read-only","--rules-of","continue"]',
        ),
    });
    for (const text of ["mcpServers: []\n", "mcpServers:\n  - command: x\n    name: holdfast\n"])
      expect(changeYaml(text, settingsFor(wishes))).toMatchObject({ code: "invalid_arguments" });
  });
});
