import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContextRenderer } from "../../src/context/index.js";
import {
  type ContextManager,
  createConversation,
  forkSession,
  memorySessionStore,
  openConversation,
  type StoredConversation,
} from "../../src/conversation/index.js";
import { type JsonObject, timeSortedIds } from "../../src/conversation/values/index.js";
import { draftCompaction, planCompaction } from "../../src/economy/index.js";
import { carryOut } from "../../src/tools/index.js";
import { sha } from "../support.js";
import { openMemory } from "../tools/ground.js";
import { settingsOf } from "./sessions.js";
import { must } from "./talk.js";

/**
 * `HOLDFAST_RUNS=20000 npx vitest run packages/core/test/economy/guard-laws.test.ts` is the long run. The
 * files are in memory, on the disk that keeps the same contract as the real one.
 */
const numRuns = Number(process.env.HOLDFAST_RUNS ?? 12);

/** What may happen to a session. Numbers choose among what is there. */
const kinds = ["read", "true", "stale", "foreign", "clear", "compact", "rewind", "fork", "resume"] as const;
type Kind = (typeof kinds)[number];
type Happening = readonly [kind: Kind, number: number];
const weights: Readonly<Record<Kind, number>> = {
  ...{ read: 5, true: 4, stale: 4, foreign: 4 },
  ...{ clear: 3, compact: 1, rewind: 2, fork: 1, resume: 1 },
};
const happening: fc.Arbitrary<Happening> = fc.tuple(
  fc.oneof(...kinds.map((kind) => ({ weight: weights[kind], arbitrary: fc.constant(kind) }))),
  fc.nat(1_000),
);

const ids = timeSortedIds(Date.now, randomBytes);
const sources = { ids, now: Date.now };
const budget = {
  settings: settingsOf({ compaction: { tailTokens: 200, contextTokenThreshold: 500 } }),
  provider: "anthropic",
};
const text = Array.from({ length: 40 }, (_, at) => `line ${at}\n`).join("");

type Files = ReturnType<typeof inMemory>;

function inMemory() {
  return openMemory({}, { guards: { wholeReplacement: "hash" } });
}

/** A conversation in a store, on files that others change as well. */
class Session {
  readonly #store = memorySessionStore();
  readonly #renderer = new ContextRenderer();
  /** What each file has held, the newest last, and whether the newest is somebody else's. */
  readonly #past = new Map([
    ["a.txt", { states: [text], isForeign: false }],
    ["b.txt", { states: [text.toUpperCase()], isForeign: false }],
  ]);
  #open: StoredConversation | undefined;
  #count = 0;
  ran = new Set<Kind>();

  constructor(private readonly ground: Files) {}

  get #manager(): ContextManager {
    if (this.#open === undefined) throw new Error("not begun");
    return this.#open.manager;
  }

  async begin(): Promise<this> {
    for (const [path, { states }] of this.#past) this.ground.put(path, states.join(""));
    this.#open = must(await createConversation(this.#store, sources));
    must(this.#manager.commitStagedItems("Go on."));
    return this;
  }

  async happen([kind, number]: Happening): Promise<void> {
    this.#count += 1;
    const names = [...this.#past.keys()];
    const path = names[number % names.length] ?? "a.txt";
    switch (kind) {
      case "read":
        await this.#call("read_file", { file_path: path, start_line: 1 + (number % 20) });
        break;
      case "foreign": {
        const past = this.#of(path);
        past.states.push(`foreign ${this.#count}\n${past.states.at(-1) ?? ""}`);
        past.isForeign = true;
        this.ground.put(path, past.states.at(-1) ?? "");
        break;
      }
      case "true":
      case "stale":
        await this.#edit(kind, path, number);
        break;
      case "clear":
        this.#clear(number);
        break;
      case "compact":
        this.#compact();
        break;
      case "rewind":
        this.#rewind(number);
        break;
      case "fork":
      case "resume":
        await this.#reopen(kind === "fork");
        break;
      default:
        kind satisfies never;
    }
    this.ran.add(kind);
    for (const [name, { states }] of this.#past) expect(this.ground.get(name)).toBe(states.at(-1));
  }

  #of(path: string) {
    const past = this.#past.get(path);
    if (past === undefined) throw new Error(path);
    return past;
  }

  /** By the hash of what is there now, or of what was there before somebody else saved: with words that stand in both. */
  async #edit(kind: "true" | "stale", path: string, number: number): Promise<void> {
    const past = this.#of(path);
    const now = past.states.at(-1) ?? "";
    if (kind === "stale" && !past.isForeign) return;
    const earlier = past.states.slice(0, -1);
    const base = kind === "true" ? now : (earlier[number % earlier.length] ?? "");
    const old = base
      .split("\n")
      .find((line) => now.split(line).length === 2 && base.split(line).length === 2);
    if (old === undefined) return;
    const changed = `own ${this.#count}`;
    const edits = [{ old_string: `${old}\n`, new_string: `${changed}\n` }];
    const args = { file_path: path, base_content_sha256: sha(base), edits };
    const answer = await this.#call("edit_file", args);
    if (kind === "stale") {
      // Of a state that no call of this session met, nobody can say more than that it is none of this file's.
      expect(answer).toMatch(/^FAILED \((state_mismatch|unknown_base)\)/);
      return;
    }
    expect(answer).toMatch(/^OK \(applied\)/);
    past.states.push(now.replace(`${old}\n`, `${changed}\n`));
    past.isForeign = false;
  }

  async #call(name: string, args: JsonObject): Promise<string> {
    const callId = `call ${this.#count}`;
    const manager = this.#manager;
    must(manager.addNode({ kind: "tool_call", callId, name, args, step: callId }));
    const deltaReads = () => this.#renderer.render(manager.context).visibility;
    const { workspace } = this.ground;
    const carried = must(await carryOut({ callId }, { manager, workspace, deltaReads }));
    if (carried.kind !== "answered") throw new Error(carried.refusal.message);
    const { payload } = carried.node;
    return payload.kind === "tool_result" ? payload.output : "";
  }

  #clear(number: number): void {
    const { contents, provenance } = this.#renderer.render(this.#manager.context);
    const shown = contents.flatMap(({ parts }, at) =>
      parts.flatMap((part, of) =>
        "functionResponse" in part ? [provenance[at]?.[of]?.nodeId].filter((id) => id !== undefined) : [],
      ),
    );
    const targetId = shown[number % Math.max(1, shown.length)];
    if (targetId === undefined) return;
    must(this.#manager.reform([{ targetId, form: { form: "replaced", by: "cleared", text: "Cleared." } }]));
  }

  #compact(): void {
    const { context } = this.#manager;
    const cut = planCompaction(context, this.#renderer.render(context), budget, {});
    if (cut.kind !== "cut") return;
    const draft = draftCompaction(context, cut, "## Task Overview\nLines.", 4);
    if (draft.kind === "draft") must(this.#manager.addSummary(draft.summary));
  }

  #rewind(number: number): void {
    const { context } = this.#manager;
    const said = [...context.nodes.values()].filter(({ payload }) => payload.kind === "user_message");
    const target = said[number % Math.max(1, said.length)];
    if (target === undefined) return;
    // Where the files stay as they are, and only the conversation goes back.
    must(this.#manager.rewind(target.id));
    must(this.#manager.commitStagedItems(`Another way ${this.#count}.`));
  }

  async #reopen(asFork: boolean): Promise<void> {
    const id = this.#manager.context.rootNode.id;
    must(await this.#manager.flush());
    await this.#open?.close();
    const forked = asFork
      ? must(await forkSession(this.#store, id, { newId: ids, now: Date.now() }))
      : { id };
    this.#open = must(await openConversation(this.#store, forked.id, "write", sources));
    must(this.#manager.commitStagedItems("Go on here."));
  }
}

describe("a random session whose prompt was cleared, summed up, left, forked and opened again", () => {
  it("refuses each edit of an older state, takes each of the true one, and moves no other byte", {
    timeout: 3_600_000,
  }, async () => {
    const ran = new Set<Kind>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { minLength: 10, maxLength: 40, size: "max" }),
        async (happenings) => {
          const session = await new Session(inMemory()).begin();
          for (const one of happenings) await session.happen(one);
          for (const kind of session.ran) ran.add(kind);
        },
      ),
      { numRuns },
    );
    expect([...ran].toSorted()).toEqual([...kinds].toSorted());
  });
});
