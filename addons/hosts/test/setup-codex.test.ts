import { join } from "node:path";
import { parse as parseToml } from "@decimalturn/toml-patch";
import { describe, expect, test } from "vitest";
import { program } from "../../../packages/cli/test/process.js";
import { changeToml } from "../src/setup/change-toml.js";
import { removalsFor, settingsFor } from "../src/setup/client-settings.js";
import { Person, wishesFor } from "./person.js";

describe("setup of codex", () => {
  const codex = { client: "codex", project: false, program: { command: "node", args: ["/h.js"] } } as const;
  const settings = settingsFor(wishesFor({ ...codex, guard: false }));
  const mine = [
    "",
    "# mine\nmodel = 'x' # keep\n\n[mcp_servers.db]\ncommand = 'x'\nargs = [ 'a',\n  'b' ] # d\n",
    "a = 1\r\n[t]\r\nb=2\r\n",
    "mcp_servers = { db = { command = 'x' } }\n",
    "[mcp_servers]\ndb = { command = 'x' }\n[[list]]\nd = 2020-01-01T00:00:00Z\nbig = 9007199254740993\n",
    "mcp_servers.db.command = 'x' # dotted\n[z]",
    'text = """\n[mcp_servers.holdfast]\n"""\n',
  ];

  test.each(mine)("keeps every line and comment of %j, twice the same, and back", (text) => {
    const once = changeToml(text, settings);
    if (once.kind === "refusal") throw new Error(once.message);
    for (const line of text.split(/\r?\n/).filter((line) => !line.startsWith("mcp_servers = ")))
      expect(once.text.split(/\r?\n/)).toContain(line);
    const { mcp_servers } = Object(parseToml(once.text));
    expect(mcp_servers.holdfast).toMatchObject({
      args: ["/h.js", "mcp", "--rules-of", "codex"],
      required: true,
    });
    expect(changeToml(once.text, settings)).toEqual(once);
    const removed = changeToml(once.text, removalsFor(codex));
    if (removed.kind === "refusal") throw new Error(removed.message);
    expect(removed.text).toBe(text === "" || text.endsWith("\n") ? text : `${text}\n`);
  });

  const left: readonly (readonly [string, string, string])[] = [
    [
      "a limit of a person's",
      "tool_output_token_limit = 50000 # keep\n",
      "tool_output_token_limit = 50000 # keep\n",
    ],
    ["a person's empty table with a comment", "[mcp_servers]\n# mine\n", "[mcp_servers]\n# mine\n"],
    [
      "what follows our tables, those that a person put below them gone",
      "[mcp_servers.holdfast]\ncommand = 'x'\nargs = []\nenabled = true\n[mcp_servers.holdfast.env]\nA = 'b'\n# next\n[z]\n",
      "# next\n[z]\n",
    ],
    ["nothing of a table on one line", "mcp_servers = { holdfast = { command = 'x' } }\nb = 1\n", "b = 1\n"],
    [
      "text that only looks like ours",
      't = """\n[mcp_servers.holdfast]\n"""\n',
      't = """\n[mcp_servers.holdfast]\n"""\n',
    ],
  ];
  test.each(left)("--remove leaves %s", (_, text, after) => {
    expect(changeToml(text, removalsFor(codex))).toEqual({ kind: "changed", text: after });
  });

  test("a person's own arguments, members and limit stay, also under a comment", async () => {
    const own =
      "[mcp_servers.holdfast]\ncommand = 'old'\nargs = ['/old.js', 'mcp', '--read-only']\nenabled = true\nrequired = false\n";
    const mine = `tool_output_token_limit = 50000 # keep\n\n${own}`;
    const person = new Person({ ".codex/config.toml": mine });
    expect((await person.setUp(["codex", "--yes"])).code).toBe(0);
    const after = person.text(".codex/config.toml");
    expect(after).toContain("tool_output_token_limit = 50000 # keep\n");
    expect(Object(parseToml(after)).mcp_servers.holdfast).toEqual({
      command: process.execPath,
      args: [program, "mcp", "--read-only", "--rules-of", "codex"],
      enabled: true,
      required: false,
    });
    expect(await person.setUp(["codex", "--remove", "--yes"])).toMatchObject({ code: 0, stderr: "" });
    expect(person.text(".codex/config.toml")).toBe("tool_output_token_limit = 50000 # keep\n");
  });

  test.each(["= 1", "a = 1\na = 2", "{}", "mcp_servers = 7", "[[mcp_servers]]"])(
    "a file that holds %j is left alone",
    async (text) => {
      const person = new Person({ ".codex/config.toml": text });
      const done = await person.setUp(["codex", "--yes"]);
      expect(done.code).toBe(4);
      expect(done.stderr).toMatch(
        /^holdfast: invalid_arguments: ~\/.codex\/config.toml: The file is left alone: /,
      );
      expect(person.text(".codex/config.toml")).toBe(text);
    },
  );

  test("CODEX_HOME is where Codex looks, and so where this is written", async () => {
    const person = new Person({ "elsewhere/config.toml": "a = 1\n" });
    await person.setUp(["codex", "--yes"], { CODEX_HOME: join(person.folder, "elsewhere") });
    expect(person.text("elsewhere/config.toml")).toContain("[mcp_servers.holdfast]");
    expect(person.has(".codex")).toBe(false);
  });
});
