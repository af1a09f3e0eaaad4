import { existsSync } from "node:fs";
import { join } from "node:path";
import { consentLine } from "@holdfast/core/conversation";
import { allTools } from "@holdfast/core/tools";
import { describe, expect, it } from "vitest";
import type { ApprovalMode, ApprovalRule } from "../../src/config/approval.js";
import type { AgentParts } from "../../src/loop/agent-parts.js";
import { type Action, decide } from "../../src/loop/approval.js";
import type { Asked, PersonsAnswer } from "../../src/loop/gate.js";
import { openStage, type Stage } from "./stage.js";

const plain = (path: string) => ({ named: [path], real: [path], within: [] });
const change = (path = "src/a.ts"): Action => ({ kind: "change", tool: "edit_file", files: [plain(path)] });
const run = (command: string): Action => ({ kind: "run", tool: "run_shell_command", files: [], command });
const allowGit: ApprovalRule = { tool: "run_shell_command", command: "git status *", decision: "allow" };
const allowTest: ApprovalRule = { tool: "run_shell_command", command: "npm test", decision: "allow" };
const allowLs: ApprovalRule = { tool: "run_shell_command", command: "ls *", decision: "allow" };
const denyDocs: ApprovalRule = { tool: "*", path: "docs/**", decision: "deny" };

describe("the decision about an action", () => {
  it.each<readonly [string, ApprovalMode, Action, readonly ApprovalRule[], string]>([
    ["plan changes nothing", "plan", change(), [], "deny"],
    [
      "plan runs nothing that does more than look, whatever a rule says",
      "plan",
      run("npm test"),
      [allowTest],
      "deny",
    ],
    ["plan runs what only looks", "plan", run("cd src && git status -s | head"), [], "allow"],
    ["plan runs no second command", "plan", run("git status; npm test"), [allowGit, allowTest], "deny"],
    ["plan writes no file by a command", "plan", run("git status > a.txt"), [], "deny"],
    [
      "plan runs all where nothing is writable",
      "plan",
      { ...run("npm test"), isReadOnly: true },
      [],
      "allow",
    ],
    ["plan lets no command out", "plan", { ...run("ls"), leaves: true, isReadOnly: true }, [allowLs], "deny"],
    ["plan heeds a rule that denies", "plan", run("ls"), [{ ...allowLs, decision: "deny" }], "deny"],
    ["plan calls no other tool", "plan", { ...run("ls"), tool: "server__run", isReadOnly: true }, [], "deny"],
    ["ask asks about a change", "ask", change(), [], "ask"],
    ["ask asks about a command", "ask", run("ls"), [], "ask"],
    ["auto-edit changes", "auto-edit", change(), [], "allow"],
    ["auto-edit asks about a command", "auto-edit", run("ls"), [], "ask"],
    ["yolo asks nothing", "yolo", run("rm -rf build"), [], "allow"],
    ["a rule allows a command", "ask", run("git status -s"), [allowGit], "allow"],
    ["a rule allows no second command", "ask", run("git status; rm -rf /"), [allowGit], "ask"],
    ["a rule denies in yolo, too", "yolo", change("docs/a.md"), [denyDocs], "deny"],
    ["a rule about a path leaves others alone", "yolo", change(), [denyDocs], "allow"],
    [
      "the first rule that fits decides",
      "ask",
      change("docs/a.md"),
      [{ tool: "edit_*", decision: "allow" }, denyDocs],
      "allow",
    ],
    ["a rule can ask in yolo", "yolo", change(), [{ tool: "edit_file", decision: "ask" }], "ask"],
  ])("%s", (_, mode, action, rules, wanted) => {
    const fitsPath = (glob: string, path: string) => path.startsWith(glob.replace("**", ""));
    expect(decide(action, { mode, rules, always: [], fitsPath }).kind).toBe(wanted);
  });

  it("allows for a session what the person allowed: a file, or a tool", () => {
    const policy = { mode: "ask", rules: [], fitsPath: () => false } as const;
    const always = [{ kind: "file", path: "src/a.ts" }] as const;
    expect(decide(change(), { ...policy, always }).kind).toBe("allow");
    expect(decide(change("src/b.ts"), { ...policy, always }).kind).toBe("ask");
    expect(
      decide({ ...change(), files: ["src/a.ts", "src/b.ts"].map(plain) }, { ...policy, always }).kind,
    ).toBe("ask");
    expect(decide(run("ls"), { ...policy, always: [{ kind: "tool", tool: "run_shell_command" }] }).kind).toBe(
      "allow",
    );
  });

  it("allows for a session one command, word for word, where it was allowed", () => {
    const always = [{ kind: "command", tool: "run_shell_command", command: "ls a" }] as const;
    const policy = { mode: "ask", rules: [], fitsPath: () => false, always } as const;
    expect(decide(run("ls a"), policy).kind).toBe("allow");
    for (const command of ["ls", "ls a b", "ls  a", "ls a; rm b"])
      expect(decide(run(command), policy).kind, command).toBe("ask");
    expect(decide({ ...run("ls a"), directory: "src" }, policy).kind).toBe("ask");
    expect(decide({ ...run("ls a"), tool: "server__run" }, policy).kind).toBe("ask");
    const inSrc = { ...policy, always: [{ ...always[0], directory: "src" }] };
    expect(decide({ ...run("ls a"), directory: "src" }, inSrc).kind).toBe("allow");
    expect(decide(run("ls a"), inSrc).kind).toBe("ask");
  });
});

describe("a command", () => {
  const policy = { mode: "ask", rules: [], fitsPath: () => false, always: [] } as const;
  const always = [{ kind: "forms", forms: ["npm test"] }] as const;
  const rule = (command: string, decision: ApprovalRule["decision"]): ApprovalRule => ({
    ...{ tool: "run_shell_command", command, decision },
  });

  it("is allowed for a session by what its parts begin with, wherever in the workspace", () => {
    for (const action of [
      run("npm test"),
      run("cd a && CI=1 npm test | tail"),
      { ...run("npm test"), directory: "a" },
    ])
      expect(decide(action, { ...policy, always }).kind).toBe("allow");
    const isInside = (path: string) => !path.startsWith("out");
    for (const action of [
      run("npm test && curl x"),
      run("npm test out/x"),
      { ...run("npm test"), directory: "out" },
    ])
      expect(decide(action, { ...policy, always, isInside }).kind).toBe("ask");
    expect(decide({ ...run("npm test"), tool: "server__run" }, { ...policy, always }).kind).toBe("ask");
  });

  it.each<readonly [string, string, string]>([
    ["each part is allowed by a rule before any that asks", "git status && ls -l", "allow"],
    ["a part is asked about, though a later rule allows it", "git status && npm i x", "ask"],
    ["a part is denied", "git status && rm x", "deny"],
    ["a part may be what is denied", "git status; $X y", "ask"],
    ["no rule is about a part", "git status && curl x", "allow"],
  ])("where %s", (_, command, wanted) => {
    const rules = [rule("git status *", "allow"), rule("ls *", "allow"), rule("npm i", "ask")];
    const more = [rule("npm *", "allow"), rule("rm", "deny")];
    const mode = command.includes("curl") ? "yolo" : "ask";
    expect(decide(run(command), { ...policy, mode, rules: [...rules, ...more] }).kind).toBe(wanted);
  });

  it("that may be denied is asked about in yolo, whatever else allows it", () => {
    const rules = [rule("git push", "deny"), { tool: "*", decision: "allow" } as const];
    for (const [command, wanted] of [
      ["git $X", "ask"],
      ["git -C a push", "deny"],
      ["git pull", "allow"],
    ] as const)
      expect(decide(run(command), { ...policy, mode: "yolo", rules, always }).kind, command).toBe(wanted);
  });
});

const read = { calls: [{ name: "read_file", args: { file_path: "a.ts" } }] };
const edit = (path: string, old_string: string, new_string: string) => ({
  calls: [
    {
      name: "edit_file",
      args: {
        file_path: path,
        base_content_sha256: `{{sha256:${path}}}`,
        edits: [{ old_string, new_string }],
      },
    },
  ],
});

async function asked(
  answers: (asked: Asked, stage: () => Stage) => PersonsAnswer,
  script: Parameters<typeof openStage>[0],
  parts: Partial<AgentParts> = {},
) {
  const questions: Asked[] = [];
  const stage: Stage = await openStage(
    script,
    {
      mode: "ask",
      ask: async (list) => {
        questions.push(...list);
        // A person takes longer than a call that runs beside.
        await new Promise((resolve) => setTimeout(resolve, 20));
        return list.map((question) => answers(question, () => stage));
      },
      ...parts,
    },
    { "a.ts": "one\ntwo\nthree\n", AGENTS: "x\n" },
  );
  return { stage, questions };
}

const done = { text: "Done." };
const create = (...names: readonly string[]) => ({
  calls: names.map((name) => ({ name: "write_file", args: { file_path: name, content: "new\n" } })),
});

describe("approval in a turn", () => {
  it("shows what the change comes to, and makes it after a yes", async () => {
    const { stage, questions } = await asked(() => ({ kind: "yes" }), [read, edit("a.ts", "two", "2"), done]);
    expect(await stage.turn("Go.")).toMatchObject({ reason: "complete", undone: [] });
    const [question] = questions;
    if (question?.kind !== "change") throw new Error("not asked about a change");
    expect(question.question.preview.files[0]).toMatchObject({ path: "a.ts", after: "one\n2\nthree\n" });
    expect(stage.read("a.ts")).toBe("one\n2\nthree\n");
  });

  it("shows both files of a move of lines, asks about no dry run, and holds rules about either file", async () => {
    const move = (more: object = {}) => ({
      calls: [
        {
          name: "move_lines",
          args: {
            ...{ file_path: "a.ts", lines: "2", base_content_sha256: "{{sha256:a.ts}}" },
            ...{ to: "new.ts", after: "end", ...more },
          },
        },
      ],
    });
    const fileTools = allTools.filter(({ name }) => ["read_file", "move_lines", "copy_file"].includes(name));
    const rules = [{ tool: "move_lines", path: "docs/**", decision: "deny" }] as const;
    const script = [read, move({ dry_run: true }), move({ to: "docs/x" }), move(), done];
    const { stage, questions } = await asked(() => ({ kind: "yes" }), script, { fileTools, rules });
    const end = await stage.turn("Go.");
    expect(end.undone).toMatchObject([{ name: "move_lines", code: "denied" }]);
    const shown = questions.flatMap((one) => (one.kind === "change" ? one.question.preview.files : []));
    expect(shown.map(({ path, after }) => [path, after])).toEqual([
      ["a.ts", "one\nthree\n"],
      ["new.ts", "two\n"],
    ]);
    expect([stage.read("a.ts"), stage.read("new.ts")]).toEqual(["one\nthree\n", "two\n"]);
  });

  it("leaves the file after a no, tells the model, and says so at the end", async () => {
    const wanted = edit("a.ts", "two", "2");
    // What only shows the change makes nothing good.
    const tried = wanted.calls.map(({ name, args }) => ({ name, args: { ...args, dry_run: true } }));
    const script = [read, wanted, { calls: tried }, { ...done, expects: ["Not like this."] }];
    const { stage } = await asked(() => ({ kind: "no", message: "Not like this." }), script);
    const end = await stage.turn("Go.");
    expect(end).toMatchObject({ reason: "complete", undone: [{ name: "edit_file", code: "denied" }] });
    expect(stage.read("a.ts")).toBe("one\ntwo\nthree\n");
  });

  it("asks nothing about a change that would be refused", async () => {
    const { stage, questions } = await asked(
      () => ({ kind: "yes" }),
      [read, edit("a.ts", "nowhere", "2"), done],
    );
    await stage.turn("Go.");
    expect(questions).toEqual([]);
  });

  it("asks again where the file moves while the question is open", async () => {
    let moved = false;
    const { stage, questions } = await asked(
      (_, here) => {
        if (!moved) here().write("a.ts", "zero\none\ntwo\nthree\n");
        moved = true;
        return { kind: "yes" };
      },
      [read, edit("a.ts", "two", "2"), done],
    );
    const end = await stage.turn("Go.");
    const text = stage.read("a.ts");
    // Foreign lines are never lost: the change is asked again on them, or refused and said.
    expect(text.startsWith("zero\none\n")).toBe(true);
    expect(text.includes("2\n") ? questions.length > 1 : end.undone.length > 0).toBe(true);
  });

  it("does not ask twice for a file that is always allowed", async () => {
    const { stage, questions } = await asked(
      () => ({ kind: "always", allowance: { kind: "file", path: "a.ts" } }),
      [read, edit("a.ts", "two", "2"), edit("a.ts", "three", "3"), done],
    );
    await stage.turn("Go.");
    expect(questions).toHaveLength(1);
    expect(stage.read("a.ts")).toBe("one\n2\n3\n");
  });

  it("asks nothing that an answer settled while it waited", async () => {
    const allowance = { kind: "tool", tool: "edit_file" } as const;
    const calls = [...edit("a.ts", "two", "2").calls, ...edit("a.ts", "three", "3").calls];
    const { stage, questions } = await asked(() => ({ kind: "always", allowance }), [read, { calls }, done]);
    expect(await stage.turn("Go.")).toMatchObject({ reason: "complete", undone: [] });
    expect(questions).toHaveLength(1);
    expect(stage.read("a.ts")).toBe("one\n2\n3\n");
  });

  it("asks nothing more once the turn is cancelled", async () => {
    const ending = new AbortController();
    const calls = [...edit("a.ts", "two", "2").calls, ...edit("a.ts", "three", "3").calls];
    const { stage, questions } = await asked(() => {
      ending.abort();
      return { kind: "no" };
    }, [read, { calls }, done]);
    expect(await stage.turn("Go.", ending.signal)).toMatchObject({ reason: "cancelled" });
    expect(questions).toHaveLength(1);
  });

  it("writes what the person wrote in its place", async () => {
    const { stage } = await asked(
      (question) => {
        const before =
          question.kind === "change" ? question.question.preview.files[0]?.agreed.before : undefined;
        const base = before ?? "";
        const request = { kind: "write", path: "a.ts", content: "mine\n", base } as const;
        return { kind: "instead", request, said: "The user took 1 of 2 changes." };
      },
      [read, edit("a.ts", "two", "2"), done],
    );
    await stage.turn("Go.");
    expect(stage.read("a.ts")).toBe("mine\n");
    const ended = stage.events.flatMap((event) => (event.kind === "call_ended" ? [event.call.text] : []));
    expect(ended.at(-1)).toContain("The user took 1 of 2 changes.");
    expect(ended.at(-1)).toContain("mine");
  });

  it("approves no protected path by itself, in yolo neither", async () => {
    const script = [create(".git/hooks/pre-commit"), done];
    const { stage, questions } = await asked(() => ({ kind: "yes" }), script, { mode: "yolo" });
    expect(await stage.turn("Go.")).toMatchObject({ undone: [{ code: "protected_path" }] });
    expect(questions).toEqual([]);
  });

  it.each(["ask", "plan"] as const)("denies in %s and says so where nobody can be asked", async (mode) => {
    const stage = await openStage([read, edit("a.ts", "two", "2"), done], { mode }, { "a.ts": "two\n" });
    expect(stage.agent.tools.offered.some(({ name }) => name === "edit_file")).toBe(true);
    expect(await stage.turn("Go.")).toMatchObject({ undone: [{ code: "denied" }] });
    expect(stage.read("a.ts")).toBe("two\n");
  });

  it("takes a write off the list that was made after all", async () => {
    let asks = 0;
    const { stage } = await asked(() => {
      asks += 1;
      return { kind: asks === 1 ? "no" : "yes" };
    }, [read, edit("a.ts", "two", "2"), edit("a.ts", "two", "2"), done]);
    expect(await stage.turn("Go.")).toMatchObject({ undone: [] });
  });
});

/** The model made r.txt, a person rewrote it, and the model says that it may be deleted. */
async function consenting(parts: Partial<AgentParts>): Promise<Stage> {
  const first = await openStage([create("r.txt"), { text: "Written." }]);
  await first.turn("Write it.");
  first.write("r.txt", "the person's\n");
  const nodes = [...first.manager.context.nodes.values()];
  const said = nodes.find(({ payload }) => payload.kind === "user_message");
  const args = { turn_id: said?.id ?? "", consent: ["r.txt"] };
  const restore = { calls: [{ name: "restore_files", args }] };
  const stage = await first.resume([restore, { text: "Done." }], parts);
  return stage;
}

function endedCall({ events }: Stage) {
  return events.find((event) => event.kind === "call_ended")?.call;
}

describe("a call that consents for the person", () => {
  it.each(["auto-edit", "yolo"] as const)("is denied in %s where nobody is there", async (mode) => {
    const stage = await consenting({ mode });
    await stage.turn("Put it back.");
    expect(endedCall(stage)).toMatchObject({ name: "restore_files", code: "files_refused" });
    expect(stage.read("r.txt")).toBe("the person's\n");
  });

  it("is asked about, with what is lost, whatever a rule allows", async () => {
    const asked: Asked[] = [];
    const answer: PersonsAnswer = { kind: "yes" };
    const stage = await consenting({
      mode: "yolo",
      rules: [{ tool: "*", decision: "allow" }],
      ask: async (list) => {
        asked.push(...list);
        return [answer];
      },
    });
    await stage.turn("Put it back.");
    const [question] = asked;
    if (question?.kind !== "restore") throw new Error("not asked about a restore");
    expect(question).toMatchObject({ tool: "restore_files", consent: ["r.txt"] });
    const lines = question.files.map((file) => consentLine(file, question.consent)).join("\n");
    expect(lines).toContain("r.txt: DELETED, in conflict (changed).");
    expect(existsSync(join(stage.root, "r.txt"))).toBe(false);
  });

  it("moves nothing where another plan was agreed to", async () => {
    const stage: Stage = await consenting({
      mode: "auto-edit",
      ask: async () => {
        stage.write("r.txt", "the person's, once more\n");
        return [{ kind: "yes" }];
      },
    });
    await stage.turn("Put it back.");
    expect(endedCall(stage)).toMatchObject({ code: "files_refused" });
    expect(stage.read("r.txt")).toBe("the person's, once more\n");
  });
});
