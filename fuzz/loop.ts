import { Coverage, resetEdges, stepsTaken, TooManySteps } from "./edges.js";
import { type Material, mutate } from "./mutate.js";
import { Random } from "./random.js";
import type { Target } from "./target.js";

/** What one target is given. */
export interface Task {
  readonly target: Target;
  /** How many places the instrumented sources have. */
  readonly edges: number;
  readonly seed: number;
  /** The corpus by file name; all of it is run first. */
  readonly corpus: readonly string[];
  /** Ends after so many mutated inputs, or at a time of `performance.now`. */
  readonly until: { readonly runs: number } | { readonly timeMs: number };
  /** Told of each input before it is run, so that one that hangs is known. */
  readonly begin: (input: string) => void;
}

/** An input that breaks a promise, made as short as it was quickly found to be. */
export interface Found {
  readonly input: string;
  readonly message: string;
  /** A line of the stack, where it was no promise of a target's but an exception. */
  readonly at: string;
}

/** What a target's run came to. */
export interface Report {
  readonly executions: number;
  readonly corpus: number;
  readonly edgesOfCorpus: number;
  readonly reached: readonly number[];
  readonly features: number;
  /** Inputs that reached what nothing before them did. */
  readonly kept: readonly string[];
  readonly found: readonly Found[];
}

/** So many kinds of findings are enough to begin mending. */
const mostFound = 8;

/**
 * Runs the corpus, then mutations of it; what reaches a new place, or a place more often by an order of magnitude,
 * joins the corpus. The same task with `runs` does the same each time.
 */
export async function fuzz(task: Task): Promise<Report> {
  const random = new Random(task.seed, task.target.name);
  const pool = [...task.corpus];
  const coverage = new Coverage();
  const found = new Map<string, Found>();
  for (const input of task.corpus) {
    const { failure, features } = await runOnce(task, input);
    coverage.add(features, task.edges);
    if (failure !== undefined) await note(task, found, input, failure);
  }
  const edgesOfCorpus = coverage.edges;
  const kept: string[] = [];
  let executions = task.corpus.length;
  for (let run = 0; goesOn(task, run) && found.size < mostFound; run++) {
    const input = mutate(chosen(pool, random), materialOf(task, pool, random));
    const { failure, features } = await runOnce(task, input);
    executions += 1;
    if (failure !== undefined) await note(task, found, input, failure);
    else if (coverage.add(features, task.edges)) {
      pool.push(input);
      kept.push(input);
    }
  }
  return {
    executions,
    corpus: task.corpus.length,
    edgesOfCorpus,
    reached: coverage.reached(),
    features: coverage.met,
    kept,
    found: [...found.values()],
  };
}

/** Those inputs that together reach all that any of them does, the shortest first; the given ones are kept. */
export async function distilled(task: Task, fixed: readonly string[], more: readonly string[]) {
  const coverage = new Coverage();
  const kept: string[] = [];
  for (const input of [...fixed, ...[...more].sort((one, other) => one.length - other.length)]) {
    const before = coverage.edges + coverage.met;
    const { failure, features } = await runOnce(task, input);
    coverage.add(features, task.edges);
    const isNew = coverage.edges + coverage.met > before;
    if (failure === undefined && isNew && !fixed.includes(input)) kept.push(input);
  }
  return kept;
}

/** Runs one input. @returns what broke, and what was met on the way. */
export async function runOnce({ target, begin }: Pick<Task, "target" | "begin">, input: string) {
  begin(input);
  const most = target.maxSteps ?? 20_000_000;
  resetEdges(most);
  let features: readonly string[] = [];
  let failure: unknown;
  try {
    const answer = target.run(input);
    if (answer instanceof Promise) await answer;
    features = target.met?.() ?? [];
  } catch (error) {
    failure = error ?? new Error("something empty was thrown");
  }
  if (failure === undefined && stepsTaken() > most) failure = new TooManySteps(`more than ${most} steps`);
  return { failure, features };
}

function goesOn({ until }: Task, run: number): boolean {
  return "runs" in until ? run < until.runs : performance.now() < until.timeMs;
}

/** Any of them, but every other time one of those that were kept last. */
function chosen(pool: readonly string[], random: Random): string {
  const late = Math.max(1, pool.length >> 2);
  const at = random.below(2) === 0 ? random.below(pool.length) : pool.length - 1 - random.below(late);
  return pool[at] ?? "";
}

function materialOf({ target }: Task, pool: readonly string[], random: Random): Material {
  return { random, words: target.words, other: random.of(pool) ?? "" };
}

async function note(task: Task, found: Map<string, Found>, input: string, failure: unknown): Promise<void> {
  const key = kindOf(failure);
  if (found.has(key)) return;
  const short = await shortened(task, input, key);
  found.set(key, { input: short, message: messageOf(failure), at: placeOf(failure) });
}

/** Leaves out stretches for as long as it breaks in the same way. */
async function shortened(task: Task, input: string, key: string): Promise<string> {
  let best = input;
  let tries = 400;
  for (let size = best.length >> 1; size > 0 && tries > 0; size >>= 1) {
    for (let at = 0; at < best.length && tries > 0; tries--) {
      const shorter = best.slice(0, at) + best.slice(at + size);
      const { failure } = await runOnce(task, shorter);
      if (failure !== undefined && kindOf(failure) === key) best = shorter;
      else at += size;
    }
  }
  return best;
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? `${failure.name}: ${failure.message}` : String(failure);
}

function placeOf(failure: unknown): string {
  const stack = failure instanceof Error ? (failure.stack ?? "") : "";
  const lines = stack.split("\n").filter((line) => line.startsWith("    at "));
  return (lines.find((line) => !line.includes("ensure")) ?? "").trim().replace(/ \(.*\//, " (");
}

/** Findings that differ in nothing but what the input holds are one. */
function kindOf(failure: unknown): string {
  const place = placeOf(failure).replace(/ \(.*/, "");
  return `${messageOf(failure)
    .split(":")
    .slice(0, 2)
    .join(":")
    .replace(/\d+|".*"/g, "#")
    .slice(0, 80)} ${place}`;
}
