import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { chatWire } from "../../../../packages/agent/test/loopback/index.js";
import { call, provided, scripted, shell, write } from "../../../../packages/cli/test/agent/provided.js";
import { hasTmux, onScreen, type Screen } from "./on-screen.js";

const files = { "src/a.ts": "export const one = 1;\nexport const two = 2;\n" };
const edit = (from: string, to: string) =>
  call("edit_file", {
    file_path: "src/a.ts",
    base_content_sha256: "{{sha256:src/a.ts}}",
    edits: [{ old_string: from, new_string: to }],
  });
const usage = { inputTokens: 1_000, cachedInputTokens: 900, outputTokens: 20 };
const work: readonly object[] = [
  {
    thought: "First the\nfile.",
    text: "I look.",
    calls: [call("read_file", { file_path: "src/a.ts" })],
    usage,
  },
  { text: "Now I change it.", calls: [edit("one = 1", "one = 11")] },
  { calls: [...shell("echo other > src/a.ts").calls, edit("two = 2", "two = 22")] },
  shell("printf 'ok 1\\nnot ok 2\\033[2J\\n'; exit 1"),
  { text: "The file is another one now." },
];

/** The program waits for words. */
const prompt = /^>$/mu;

/** What a turn shows: from the line below the prompt to the one that says what it took. Seconds are another matter. */
function turnOn(screen: Screen, said: string): string {
  const lines = screen.lines();
  const from = lines.findIndex((line) => line.includes(said)) + 1;
  const to = lines.findIndex((line) => /^\d+ requests?, /u.test(line));
  const end = lines.findIndex((line, at) => at >= to && / s$/u.test(line));
  return `${lines
    .slice(from, end + 1)
    .join("\n")
    .replace(/\d+(\.\d)? s\b/gu, "N s")}\n`;
}

function talk(
  answers: readonly object[],
  window: Parameters<typeof onScreen>[2] = {},
  mode = "yolo",
): Screen {
  const { home, ...at } = scripted(answers, { files });
  return onScreen(
    at,
    ["agent", "--script", join(home.folder, "script.json"), "--approval-mode", mode],
    window,
  );
}

describe.runIf(hasTmux)("a conversation on a screen", () => {
  it.each([
    ["turn", {}],
    ["turn-narrow", { columns: 40 }],
    ["turn", { env: { NO_COLOR: "1" } }],
    ["turn", { env: { TERM: "dumb" } }],
  ] as const)("shows each step of a turn as %s.txt, with %j", async (name, window) => {
    const screen = talk(work, window);
    await screen.until(prompt);
    screen.type("Go.");
    await screen.until(/\d+ requests, [\s\S]* s\n(?:[^\n]*\n)?>/u);
    await expect(turnOn(screen, "Go.")).toMatchFileSnapshot(`screens/${name}.txt`);
    const colours =
      screen
        .lines(true)
        .join("\n")
        .match(/\[3[0-7]m/gu) ?? [];
    expect(colours.length > 5).toBe(!("env" in window));
  });

  it("shows words while they stream, and what is waited for, where no line is open", async () => {
    const text = `Alpha ${"more words of it ".repeat(12)}omega.`;
    const answers = [
      { calls: [call("read_file", { file_path: "src/a.ts" })], fault: { kind: "slow", pauseMs: 60 } },
      { text, fault: { kind: "slow", pauseMs: 12 } },
    ] as const;
    const screen = onScreen(await provided(chatWire, answers, files), ["agent"]);
    await screen.until(prompt);
    screen.type("Go.");
    await screen.until(/[-\\|/] (Waiting for the model|Writing a call of read_file) … \d s/u);
    await screen.until("Alpha");
    expect(screen.lines().join("\n")).not.toContain("omega");
    await screen.until("omega");
    await screen.until("2 requests");
    expect(screen.lines().join("")).not.toContain("…");
    expect(screen.lines().join("").match(/Alpha/gu)).toHaveLength(1);
  });

  it("marks the words of an answer that broke off", async () => {
    const text = `Begun ${"and more of it ".repeat(4)}ended.`;
    const answers = [{ text, fault: { kind: "cut" } }, { text: "Another answer." }] as const;
    const screen = onScreen(await provided(chatWire, answers, files), ["agent"]);
    await screen.until(prompt);
    screen.type("Go.");
    await screen.until("1 request");
    const shown = screen.lines().join("\n");
    expect(shown).toMatch(
      /Begun .*\n… broke off; asking again in \d\.\d s\. [\s\S]*Another answer\.\n1 request/u,
    );
    expect(shown).not.toContain("ended.");
  });

  it("colours the diff of a question, which is asked without a sign of life", async () => {
    const screen = talk([{ calls: [write("b.ts", "b\n")] }, { text: "Done." }], {}, "ask");
    await screen.until(prompt);
    screen.type("Go.");
    await screen.until("[y]es");
    expect(screen.lines(true).join("\n").replaceAll("\u001b", "ESC")).toMatch(/ESC\[32m(?:ESC\[49m)?\+b/u);
    expect(screen.lines().join("\n")).not.toMatch(/write_file … \d/u);
    screen.type("y");
    await screen.until("create b.ts +1 v1 0263829 ✓");
  });

  it("shows a run without a screen in a terminal, and its last words once", async () => {
    const { home, ...at } = scripted(work, { files });
    const script = join(home.folder, "script.json");
    const screen = onScreen(at, ["-p", "Go.", "--script", script, "--approval-mode", "yolo"]);
    await screen.until("ended 64");
    await expect(turnOn(screen, "nothing before it")).toMatchFileSnapshot("screens/headless.txt");
  });
});

/** What Node says of the functions that ran. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly {
        readonly startOffset: number;
        readonly endOffset: number;
        readonly count: number;
      }[];
    }[];
  }[];
}

describe("a run without a terminal", () => {
  it("runs nothing of the screen", async () => {
    const { run, home } = scripted([{ text: "Done." }]);
    const env = { NODE_V8_COVERAGE: join(home.folder, "loaded") };
    expect((await run(["-p", "Go."], { env })).code).toBe(0);
    const [report = ""] = readdirSync(env.NODE_V8_COVERAGE);
    const { result }: Coverage = JSON.parse(readFileSync(join(env.NODE_V8_COVERAGE, report), "utf8"));
    const ours = result.filter(({ url }) => url.includes("/dist/bundle/"));
    expect(ours.map(({ url }) => basename(url))).toContain("program.cjs");
    const place = "?2026h";
    let found = 0;
    for (const { url, functions } of ours) {
      // The bundle is compiled with a beginning of its own.
      const text = readFileSync(fileURLToPath(url), "utf8");
      const lead = url.endsWith(".cjs") ? "(function(exports,require,module,__filename){".length : 0;
      for (let at = text.indexOf(place); at >= 0; at = text.indexOf(place, at + 1)) {
        found += 1;
        const around = functions.flatMap(({ ranges }) =>
          ranges.filter(({ startOffset, endOffset }) => startOffset <= at + lead && at + lead < endOffset),
        );
        const [innermost] = around.sort(
          (one, other) => one.endOffset - one.startOffset - (other.endOffset - other.startOffset),
        );
        expect(innermost?.count, url).toBe(0);
      }
    }
    expect(found).toBeGreaterThan(0);
  });

  it("writes its last words alone, and only notices beside them", async () => {
    const { run } = scripted(work, { files });
    const { stdout, stderr } = await run(["-p", "Go.", "--approval-mode", "yolo"]);
    expect(stdout).toBe("The file is another one now.\n");
    expect(stderr).toBe("Not done: edit_file (the file changed since the model read it).\n");
  });

  it.each(["--include-partial", "--include-partial-messages"])("streams deltas with %s", async (flag) => {
    const { run, project } = scripted(work, { files });
    const ran = await run(["-p", "Go.", "--approval-mode", "yolo", "-o", "stream-json", flag]);
    const lines: readonly { readonly [name: string]: unknown }[] = ran.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ type: "init", mode: "yolo", cwd: project.folder });
    expect(lines[0]?.tools).toContain("read_file");
    const told = lines.flatMap(({ type, kind }) => (type === "delta" ? [`${type} ${kind}`] : [`${type}`]));
    expect(told.slice(2, 9)).toEqual([
      ...["delta begin", "delta thought", "delta text", "delta call", "thought", "message", "tool_use"],
    ]);
  });
});
