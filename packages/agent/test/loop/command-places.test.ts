import { type HostRequest, type HostTool, runHostTool } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ApprovalMode, ApprovalRule } from "../../src/config/approval.js";
import type { CommandPlace } from "../../src/host/sandbox.js";
import { type Asked, Gate, type PersonsAnswer } from "../../src/loop/gate.js";

/** A tool of commands that says where it was run, and that the sandbox barred it where it was run inside. */
function commandsOf(ran: (boolean | string | undefined)[]): HostTool {
  return {
    kind: "host",
    name: "run_shell_command",
    title: "Run a command",
    description: "",
    parameters: z.object({ command: z.string(), outside: z.boolean().exactOptional() }),
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    intent: (args) => ({ kind: "host_request", tool: "run_shell_command", summary: "", args }),
    run: async ({ sandboxed, isReadOnly }: HostRequest) => {
      ran.push(isReadOnly === true ? "read-only" : sandboxed);
      return { code: "ok", text: "", ...(sandboxed === true ? { barred: "It stood in its way." } : {}) };
    },
  };
}

interface Given {
  readonly calls: readonly object[];
  readonly answers?: readonly PersonsAnswer[];
  readonly mode?: ApprovalMode;
  readonly place?: CommandPlace;
  readonly rules?: readonly ApprovalRule[];
}

/** Where each command ran, and what was asked of the person about it. */
async function check({ calls, answers = [], mode = "ask", place = "inside", rules = [] }: Given) {
  const ran: (boolean | string | undefined)[] = [];
  const asked: Asked[] = [];
  const left = [...answers];
  const gate = new Gate({
    ...{ mode, rules, outside: ["git push"], commandPlace: async () => place },
    ask: async (list) => {
      asked.push(...list);
      return list.map((): PersonsAnswer => left.shift() ?? { kind: "no" });
    },
    namesOf: async (path) => ({ named: [path], real: [path], within: [] }),
  });
  const tool = gate.guarded(commandsOf(ran));
  for (const args of calls) await runHostTool(tool, args, { progress: () => {} });
  const seen = asked.map((one) => (one.kind === "run" ? one.request : undefined));
  return { ran, asked: seen.map((one) => [one?.sandboxed, one?.isBarred ?? false]) };
}

const yes: PersonsAnswer = { kind: "yes" };
const always = (command: string): PersonsAnswer => ({
  kind: "always",
  allowance: { kind: "command", tool: "run_shell_command", command },
});
const rename = { command: "git branch -m a" };
const allow: ApprovalRule = { tool: "run_shell_command", command: "git branch *", decision: "allow" };

describe("a command runs", () => {
  it("inside where a person, 'always' or a rule allowed it", async () => {
    const twice = { calls: [rename, rename], answers: [always(rename.command)] };
    expect(await check(twice)).toEqual({ ran: [true, true], asked: [[true, false]] });
    expect(await check({ calls: [rename], rules: [allow] })).toEqual({ ran: [true], asked: [] });
  });

  it("outside, this once, where the sandbox stood in its way and a person says so", async () => {
    const given = { calls: [rename, rename, rename], answers: [yes, { kind: "outside" }, yes] as const };
    expect(await check(given)).toEqual({
      ran: [true, false, true],
      asked: [
        [true, false],
        [true, true],
        [true, true],
      ],
    });
  });

  it.each<[string, Partial<Given>]>([
    ["in yolo", { mode: "yolo" }],
    ["with a rule that allows it", { rules: [allow] }],
  ])("outside where it asks for that and a person agrees, also %s", async (_, more) => {
    const calls = [{ ...rename, outside: true }];
    expect(await check({ calls, answers: [yes], ...more })).toEqual({
      ran: [false],
      asked: [[false, false]],
    });
    expect(await check({ calls, ...more })).toEqual({ ran: [], asked: [[false, false]] });
  });

  it("outside where the person's list names it, and no other program with it", async () => {
    const outside = await check({ calls: [{ command: "git push origin main" }], mode: "yolo" });
    expect(outside).toEqual({ ran: [false], asked: [] });
    const others = [
      "git push; touch x",
      "git push --receive-pack=./x",
      "git push $(x)",
      "git pushx",
      "X=1 git push",
    ];
    const calls = others.map((command) => ({ command }));
    expect(await check({ calls, mode: "yolo" })).toEqual({ ran: others.map(() => true), asked: [] });
  });

  it("where it can write nothing in plan mode, never outside, and without a sandbox only where it looks", async () => {
    const calls = [rename, { ...rename, outside: true }, { command: "git push" }, { command: "git log" }];
    const mode = "plan";
    expect(await check({ calls, mode })).toEqual({ ran: ["read-only", "read-only", "read-only"], asked: [] });
    expect(await check({ calls, mode, place: "outside" })).toEqual({ ran: [false], asked: [] });
  });

  it("outside without a further question where there is no sandbox, and not at all where there has to be one", async () => {
    const calls = [{ ...rename, outside: true }];
    expect(await check({ calls, mode: "yolo", place: "outside" })).toEqual({ ran: [false], asked: [] });
    const place = { kind: "refusal", code: "denied", message: "None starts." } as const;
    expect(await check({ calls, mode: "yolo", place })).toEqual({ ran: [], asked: [] });
  });
});
