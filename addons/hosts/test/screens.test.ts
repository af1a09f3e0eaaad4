import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, test } from "vitest";
import { program } from "../../../packages/cli/test/process.js";
import { afterThisFile } from "../../../test/cleanups.js";
import { has } from "../../../test/tools.js";
import { type ClientName, clientNames } from "../src/clients.js";
import { Person } from "./person.js";

const json = '{\n  // mine\n  "theme": "dark",\n}\n';
const vscode = process.platform === "darwin" ? "Library/Application Support/Code/User" : ".config/Code/User";
/** What a person has set before, as people have it. */
const own: Readonly<Record<ClientName, Readonly<Record<string, string>>>> = {
  claude: {
    ".claude.json": '{\n  "numStartups": 3\n}\n',
    ".claude/settings.json": `{
  // Formats what Claude writes.
  "permissions": { "deny": ["Read(./private/**)"] },
  "hooks": { "PostToolUse": [{ "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "npx prettier --write ." }] }] }
}
`,
  },
  gemini: { ".gemini/settings.json": json },
  codex: { ".codex/config.toml": 'model = "o9" # mine\n\n[profiles.fast]\nmodel = "o9-mini"\n' },
  qwen: { ".qwen/settings.json": json },
  opencode: { ".config/opencode/opencode.jsonc": json },
  copilot: { ".copilot/mcp-config.json": '{"mcpServers":{"other":{"command":"other"}}}\n' },
  cursor: {
    ".cursor/mcp.json": '{\n\t"mcpServers": {\n\t\t"other": { "url": "http://localhost:7/mcp" }\n\t}\n}\n',
  },
  vscode: { [`${vscode}/mcp.json`]: '{ "servers": { "other": { "command": "other" } }, "inputs": [] }\n' },
  zed: { ".config/zed/settings.json": json },
  jetbrains: {},
  continue: { ".continue/config.yaml": "name: mine # and mine\nversion: 1.0.0\nschema: v1\nmodels: []\n" },
  windsurf: {
    ".codeium/windsurf/mcp_config.json": '{"mcpServers":{"other":{"command":"other"}},"theme":1}\n',
  },
};

/** A shell in a terminal, as a person has it. */
class Screen {
  private readonly socket: string;

  constructor(home: string) {
    this.socket = join(home, "bin/tmux");
    const env = {
      HOME: home,
      XDG_STATE_HOME: join(home, "state"),
      PS1: "$ ",
      PATH: `${home}/bin:${process.env.PATH}`,
    };
    const named = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    this.tmux(
      "new-session",
      "-d",
      "-x",
      "120",
      "-y",
      "250",
      "-c",
      join(home, "work"),
      "env",
      "-i",
      "TERM=screen",
      ...named,
      "sh",
    );
    afterThisFile(() => void spawnSync("tmux", ["-S", this.socket, "kill-server"]));
  }

  /** Types a command, and the answer to each question it asks, until the shell waits again. */
  async run(command: string, answer: (question: string) => string): Promise<void> {
    let row = await this.waits(-1);
    this.type(command);
    for (;;) {
      const from = row + 1;
      row = await this.waits(row);
      if (this.lines()[row]?.trimEnd() === "$") return;
      this.type(
        answer(
          this.lines()
            .slice(from, row + 1)
            .join("\n"),
        ),
      );
    }
  }

  /** All that is shown, wrapped lines as one. */
  text(): string {
    return this.tmux("capture-pane", "-p", "-J")
      .replaceAll(/[ \n]+$/g, "\n")
      .replaceAll(/ +$/gm, "");
  }

  private async waits(after: number): Promise<number> {
    for (let ms = 0; ms < 60_000; ms += 50) {
      const row = Number(this.tmux("display-message", "-p", "#{cursor_y}"));
      if (row > after && /^\$$|\[(?:1|Y\/n|y\/N)\]$/.test(this.lines()[row]?.trimEnd() ?? "")) return row;
      await pause(50);
    }
    throw new Error(`the terminal waits for nobody:\n${this.text()}`);
  }

  private lines(): readonly string[] {
    return this.tmux("capture-pane", "-p").split("\n");
  }

  private type(line: string): void {
    if (line !== "") this.tmux("send-keys", "-l", line);
    this.tmux("send-keys", "Enter");
  }

  private tmux(...args: readonly string[]): string {
    return execFileSync("tmux", ["-S", this.socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
  }
}

/** All files below a folder but the program and its state, with what they hold. */
function filesOf(person: Person): Readonly<Record<string, string>> {
  const names = readdirSync(person.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(person.folder.length + 1))
    .filter((name) => !/^(?:bin|state)\//.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, person.text(name)]));
}

describe.runIf(has("tmux"))("a person's screen", () => {
  test.concurrent.for(clientNames)(
    "of setup %s, and of --remove, after which all settings are byte for byte as before",
    async (client, { expect }) => {
      const person = new Person({
        "bin/holdfast": `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`,
        "work/a.txt": "",
        ...own[client],
      });
      execFileSync("chmod", ["+x", join(person.folder, "bin/holdfast")]);
      const before = filesOf(person);
      const screen = new Screen(person.folder);
      const answer = (question: string) => {
        if (question.includes("Make this change?")) return "y";
        return question.includes("3  both") ? "3" : "";
      };
      await screen.run(`holdfast setup ${client}`, answer);
      expect(filesOf(person)).not.toEqual(before);
      await screen.run(`holdfast setup ${client} --remove`, answer);
      expect(filesOf(person)).toEqual(before);
      const shown = screen
        .text()
        .replaceAll(process.execPath, "/usr/bin/node")
        .replaceAll(program, "/usr/lib/holdfast.js")
        .replaceAll(vscode, ".config/Code/User");
      await expect(shown).toMatchFileSnapshot(`screens/${client}.txt`);
    },
  );
});
