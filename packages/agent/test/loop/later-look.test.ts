import { type HostTool, runHostTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ApprovalMode } from "../../src/config/approval.js";
import type { LaterFile } from "../../src/host/later-files.js";
import { type Asked, Gate, type PersonsAnswer } from "../../src/loop/gate.js";

const file: LaterFile = {
  path: "/p/.envrc",
  shown: ".envrc",
  reason: "a shell's start-up",
  before: undefined,
};

interface Given {
  readonly mode?: ApprovalMode;
  readonly answer?: PersonsAnswer;
  readonly changed?: readonly LaterFile[];
  readonly left?: readonly LaterFile[];
  readonly tool?: string;
}

/** The result of a command after which files that run later are different, what was asked, and what was taken back. */
async function check({ mode = "yolo", answer, changed = [file], left = [], tool: name }: Given) {
  const asked: Asked[] = [];
  const taken: LaterFile[] = [];
  const gate = new Gate({
    mode,
    rules: [{ tool: "*", decision: "allow" }],
    ...(answer && {
      ask: async (list) => {
        asked.push(...list);
        return list.map(() => answer);
      },
    }),
    later: {
      begin: async () => {},
      end: async () => changed,
      takeBack: async (files) => {
        taken.push(...files);
        return left;
      },
    },
    namesOf: async (path) => ({ named: [path], real: [path], within: [] }),
  });
  const tool: HostTool = {
    kind: "host",
    name: name ?? "run_shell_command",
    title: "",
    description: "",
    parameters: z.object({ command: z.string() }),
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    intent: (args) => ({ kind: "host_request", tool: name ?? "run_shell_command", summary: "", args }),
    run: async () => ({ code: "ok", text: "done\n" }),
  };
  const result = await runHostTool(gate.guarded(tool), { command: "make" }, { progress: () => {} });
  const kinds = asked.map(({ kind }) => kind).filter((kind) => kind === "later");
  return { result, asked: kinds, taken: taken.map(({ shown }) => shown) };
}

const named = "It made or changed files that run later: .envrc (a shell's start-up).";

const kept = {
  code: "ok",
  text: `done\n\n${named} A person agreed to keep them.`,
  asked: ["later"],
  taken: [],
};

describe("files that run later", () => {
  it.each<[string, Given, object]>([
    ["are kept in auto-edit where a person says so", { mode: "auto-edit", answer: { kind: "yes" } }, kept],
    ["are kept in yolo where a person says so", { answer: { kind: "yes" } }, kept],
    [
      "are taken back where a person says no, in the words of that person",
      { answer: { kind: "no", message: "Not that." } },
      {
        code: "denied",
        text: `done\n\n${named} Not that. They were taken back.`,
        asked: ["later"],
        taken: [".envrc"],
      },
    ],
    [
      "are taken back where nobody can be asked",
      {},
      {
        code: "denied",
        text: expect.stringMatching(/Nobody can be asked here.* They were taken back\.$/u),
        asked: [],
        taken: [".envrc"],
      },
    ],
    [
      "are named where they cannot be taken back",
      { answer: { kind: "no" }, left: [file] },
      {
        code: "denied",
        text: expect.stringMatching(/taken back, but for \.envrc/u),
        asked: ["later"],
        taken: [".envrc"],
      },
    ],
    [
      "are named, and no more, in the mode that asked about the command",
      { mode: "ask", answer: { kind: "no" } },
      { code: "ok", text: `done\n\n${named}`, asked: [], taken: [] },
    ],
    [
      "are no word where there are none",
      { changed: [], answer: { kind: "no" } },
      { code: "ok", text: "done\n", asked: [], taken: [] },
    ],
    [
      "are looked for after commands only",
      { tool: "web_search" },
      { code: "ok", text: "done\n", asked: [], taken: [] },
    ],
  ])("%s", async (_, given, expected) => {
    const { result, asked, taken } = await check(given);
    expect({ code: result.code, text: result.text, asked, taken }).toEqual(expected);
  });
});
