import { type DueFile, filesDue, refuseConflicts } from "@holdfast/core/conversation";
import { compileGlob, type PathNames } from "@holdfast/core/files";
import { type ChangeRequest, isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import {
  type Approval,
  type Approve,
  type FilesThatFollow,
  failedCall,
  type HostRequest,
  type HostTool,
  type HostToolResult,
  moreToolsName,
  type Question,
} from "@holdfast/core/tools";
import type { ApprovalMode, ApprovalRule } from "../config/approval.js";
import type { LaterFile } from "../host/later-files.js";
import { planToolName } from "../host/plan.js";
import type { CommandPlace } from "../host/sandbox.js";
import { isCovered } from "../shell/covered.js";
import { type Action, type Allowance, commandTool, type Decision, decide, isAbout } from "./approval.js";
import { type LaterLook, runLooked } from "./later-look.js";
import { planApproved, planRefused } from "./plan-mode.js";

/** What a person is asked about. */
export type Asked =
  /** A change of files, with what it comes to: its corrected diff is in the preview. */
  | { readonly kind: "change"; readonly tool: string; readonly question: Question }
  /** Anything else: a command, a tool of an MCP server. Its summary may be cut: a person is to see the arguments. */
  | { readonly kind: "run"; readonly tool: string; readonly request: HostRequest }
  /** Files that go back with the conversation, and those in conflict that the call says may be lost: see `consentLine`. */
  | {
      readonly kind: "restore";
      readonly tool: string;
      readonly files: readonly DueFile[];
      readonly consent: readonly string[];
    }
  /** Files that a command made or changed and that run later: a no takes them back. */
  | { readonly kind: "later"; readonly tool: string; readonly files: readonly LaterFile[] }
  /** The plan with which plan mode is to end. */
  | { readonly kind: "plan"; readonly tool: string; readonly plan: string };

/** What a person answers. */
export type PersonsAnswer =
  | { readonly kind: "yes" }
  | { readonly kind: "no"; readonly message?: string }
  /** Of a change: the text that the person wrote in its place, or a part of it; `said`: a sentence on it for the model. */
  | { readonly kind: "instead"; readonly request: ChangeRequest; readonly said?: string }
  /** Yes, and the same need not be asked again in this session. */
  | { readonly kind: "always"; readonly allowance: Allowance }
  /** Of a command: yes, and outside of the sandbox, this once. */
  | { readonly kind: "outside" }
  /** Of a plan: yes, in this mode, and by the plan as the person edited it, where one did. */
  | { readonly kind: "work"; readonly mode: ApprovalMode; readonly plan?: string };

/**
 * Asks a person: one list at a time, of one thing, or of several changes of one answer, which are about different files.
 * Where the signal comes the answers are a no. Must not throw.
 *
 * @returns an answer to each, in their order; what has none is a no.
 */
export type AskPerson = (list: readonly Asked[], signal?: AbortSignal) => Promise<readonly PersonsAnswer[]>;

/** Nobody is there to be asked: what would be asked is denied, and said. */
export const nobody: AskPerson = async (list) =>
  list.map(({ tool }) => ({
    kind: "no",
    message: `Nobody can be asked here, and ${tool} needs approval in this mode.`,
  }));

/** What a call is judged by: its own name, and those of the tools that it stands for. */
export interface CallNames {
  readonly tool: string;
  readonly also: readonly string[];
}

/** A call before it is carried out. One that changes files is judged again by what it comes to. */
export interface JudgedCall extends CallNames {
  readonly kind: "look" | "move" | "change";
  /** The files that it is about. */
  paths(): Promise<readonly string[]>;
  readonly request: HostRequest;
}

/** How a gate is set up. */
export interface GateOptions {
  /** `ask` unless given. */
  readonly mode?: ApprovalMode;
  readonly rules?: readonly ApprovalRule[];
  /** Nobody unless given: what would be asked is denied. */
  readonly ask?: AskPerson;
  /** All names of the file that a path means now: `Workspace.namesOf`. */
  readonly namesOf: (path: string) => Promise<PathNames>;
  /** Whether a path that a command names is in the workspace, links resolved: `Commands.isInside`. */
  readonly isInside?: (path: string) => boolean;
  /** Tools of the host that are never asked about, such as one that reads the output of a command. */
  readonly harmless?: readonly string[];
  /** Where a command runs, `Sandbox.place`; nobody knows of a sandbox unless given. */
  readonly commandPlace?: () => Promise<CommandPlace>;
  /** Beginnings of commands that always run outside: the person's own `shell.outside`. */
  readonly outside?: readonly string[];
  /** Where the next command of an agent begins, if not in the workspace's root: `Commands.folder`. */
  readonly commandFolder?: (agent?: object) => string | undefined;
  /** A plan is the last word of its turn, also where a person could be asked about it. */
  readonly endsWithPlan?: boolean;
  /** Finds files that run later; nobody looks for them unless given. */
  readonly later?: LaterLook;
}

/** A question that waits for its answer. */
interface OpenQuestion {
  readonly action: Action;
  readonly asked: Asked;
  readonly signal: AbortSignal | undefined;
}

/** Asks about a change as one of a list; undefined where it is to be asked about alone. */
type AskTogether = (asking: OpenQuestion) => Promise<Approval | undefined> | undefined;

const cancelled: Approval = { kind: "no", message: "Cancelled before it was asked." };
const unanswered: Approval = { kind: "no", message: "The question was not answered." };

/** Stands before everything that changes or runs something: one decision for every way in which a call can do so. */
export class Gate {
  mode: ApprovalMode;
  readonly #rules: readonly ApprovalRule[];
  readonly #always: Allowance[] = [];
  readonly #globs = new Map<string, (path: string) => boolean>();
  /** Commands in whose way the sandbox stood, word for word. */
  readonly #barred = new Set<unknown>();
  readonly #outside = new WeakSet<HostRequest>();
  #lastQuestion: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: GateOptions) {
    this.mode = options.mode ?? "ask";
    this.#rules = options.rules ?? [];
  }

  allow(allowance: Allowance): void {
    this.#always.push(allowance);
  }

  /** For `carryOut`: asks before a change, with what it comes to; together with others where that is possible. */
  approverOf({ tool, also }: CallNames, signal?: AbortSignal, together?: AskTogether): Approve {
    return async (question) => {
      const files = question.preview.files.map(({ names }) => names);
      const asked = { kind: "change", tool, question } as const;
      return this.#rule({ kind: "change", tool, also, files }, asked, signal, together);
    };
  }

  /** For calls of one answer that are asked about as one list. */
  group(callIds: Set<string>): QuestionGroup<OpenQuestion, Approval> {
    return new QuestionGroup(callIds, (list) => this.#inTurn(list));
  }

  /**
   * Why a call may not be made: a rule denies it, or a person who was asked because a rule says so. Undefined where it
   * may; nothing is looked up where no rule speaks of its tool. Of a change only a denial counts: what it comes to is asked
   * about later, and a change that is refused before that would show the file.
   */
  async barred(call: JudgedCall, signal?: AbortSignal): Promise<string | undefined> {
    const { kind, tool, also, request } = call;
    const isSpokenOf = this.#rules.some((rule) => isAbout(rule, call));
    if (!isSpokenOf && (this.mode !== "plan" || kind === "change")) return undefined;
    const paths = isSpokenOf ? await call.paths() : [];
    const files = await Promise.all(paths.map((path) => this.options.namesOf(path)));
    const action: Action = { kind, tool, also, files };
    if (kind === "change") {
      const decision = await this.#decide(action);
      return decision.kind === "deny" ? decision.message : undefined;
    }
    const answer = await this.#rule(action, { kind: "run", tool, request }, signal);
    return answer.kind === "yes" ? undefined : denial(answer);
  }

  /** The same tool, which asks before it runs. */
  guarded(tool: HostTool): HostTool {
    if (tool.name === planToolName)
      return { ...tool, run: ({ args }, { signal }) => this.#plan(String(args.plan), signal) };
    const kind = [moreToolsName, ...(this.options.harmless ?? [])].includes(tool.name) ? "look" : "run";
    return {
      ...tool,
      run: async (called, scope) => {
        const request = await this.#placed(this.#inFolder(called, scope.manager));
        if (isRefusal(request)) return notRun(request.message);
        const leaves = request.sandboxed === false && request.args.outside === true;
        const { isReadOnly } = request;
        const how = { ...commandIn(request.args), ...(leaves ? { leaves } : {}), isReadOnly };
        const action: Action = { kind, tool: tool.name, files: [], ...how };
        const asked = { kind: "run", tool: tool.name, request } as const;
        const answer = await this.#rule(action, asked, scope.signal);
        if (answer.kind !== "yes") return notRun(denial(answer));
        const isOutside = this.#outside.has(request);
        const run = () => tool.run(isOutside ? { ...request, sandboxed: false } : request, scope);
        const later = ofCommands.includes(tool.name) ? this.options.later : undefined;
        const keep = (files: readonly LaterFile[]) => this.#keep(files, tool.name, scope.signal);
        const result = await (later === undefined ? run() : runLooked(run, later, keep));
        if (result.barred !== undefined) this.#barred.add(request.args.command);
        return result;
      },
    };
  }

  /** What a person says of files that run later; undefined in a mode in which the command itself was agreed to. */
  #keep(files: readonly LaterFile[], tool: string, signal?: AbortSignal): Promise<Approval> | undefined {
    if (this.mode === "ask" || this.mode === "plan") return undefined;
    return this.#answer({ kind: "later", tool, files }, signal).then((answer) =>
      answer?.kind === "yes" || answer?.kind === "no" ? answer : unanswered,
    );
  }

  /** What a person says of a plan, for the model. Where nobody is asked, it ends the turn. */
  async #plan(plan: string, signal?: AbortSignal): Promise<HostToolResult> {
    if (this.mode !== "plan") return { code: "ok", text: "This is no plan mode; do the work." };
    const { ask = nobody, endsWithPlan = ask === nobody } = this.options;
    if (endsWithPlan) return { code: "ok", text: "The user reads the plan.", final: plan };
    const answer = await this.#answer({ kind: "plan", tool: planToolName, plan }, signal);
    if (answer?.kind !== "work") return planRefused(answer?.kind === "no" ? answer.message : undefined, plan);
    this.mode = answer.mode;
    return planApproved(answer.mode, answer.plan);
  }

  #answer(asked: Asked, signal?: AbortSignal): Promise<PersonsAnswer | undefined> {
    const { ask = nobody } = this.options;
    const answering = this.#lastQuestion.then(() => ask([asked], signal));
    this.#lastQuestion = answering.catch(() => {});
    return answering.then(([answer]) => answer);
  }

  /** A command with the folder in which it will run: what a person or a rule agrees to is about that, too. */
  #inFolder(request: HostRequest, agent: object | undefined): HostRequest {
    const { args, tool } = request;
    const isGiven = tool !== commandTool || typeof args.directory === "string";
    const directory = isGiven ? undefined : this.options.commandFolder?.(agent);
    return directory === undefined ? request : { ...request, args: { ...args, directory } };
  }

  /** A command with the place in which it will run, whatever becomes of the mode while a person is asked. */
  async #placed(request: HostRequest): Promise<HostRequest | Refusal> {
    const { commandPlace, outside = [], isInside } = this.options;
    if (request.tool !== commandTool || commandPlace === undefined) return request;
    const { command, outside: leaves } = request.args;
    const { directory } = commandIn(request.args);
    const isPlan = this.mode === "plan";
    if (!isPlan && isCovered(String(command), { beginnings: outside }, { directory, isInside }))
      return withoutWish({ ...request, sandboxed: false });
    const place = await commandPlace();
    if (typeof place !== "string") return place;
    if (place === "outside") return withoutWish({ ...request, sandboxed: false });
    if (isPlan && leaves !== true) return { ...request, sandboxed: true, isReadOnly: true };
    return {
      ...request,
      sandboxed: leaves !== true,
      ...(this.#barred.has(command) ? { isBarred: true } : {}),
    };
  }

  /** Files that follow the head, where that is agreed to; the yes is bound to the plan that was shown. */
  following(files: FilesThatFollow, { tool, also }: CallNames, signal?: AbortSignal): FilesThatFollow {
    return {
      ...files,
      follow: async (request) => {
        const plan = await files.plan(request.move);
        if (isRefusal(plan)) return plan;
        const { consent, conflicts = "refuse" } = request;
        const refused = refuseConflicts(plan, { restoreId: "", consent, conflicts });
        if (refused !== undefined) return refused;
        const due = filesDue(plan);
        const names = await Promise.all(due.map(({ path }) => this.options.namesOf(path)));
        const action: Action = {
          kind: "change",
          tool,
          also: ["restore", ...also],
          files: names,
          ...(consent.length > 0 ? { consents: true } : {}),
        };
        const answer = await this.#rule(action, { kind: "restore", tool, files: due, consent }, signal);
        return answer.kind === "yes"
          ? files.follow({ ...request, agreed: plan })
          : refuse("files_refused", denial(answer));
      },
    };
  }

  async #rule(action: Action, asked: Asked, signal?: AbortSignal, together?: AskTogether): Promise<Approval> {
    const unasked = await this.#unasked(action);
    if (unasked !== undefined) return unasked;
    const asking: OpenQuestion = { action, asked, signal };
    const one = together?.(asking) ?? this.#inTurn([asking]).then(([answer]) => answer);
    return (await one) ?? unanswered;
  }

  /** One list at a time: calls run side by side, and a person sees and answers one thing. */
  #inTurn(list: readonly OpenQuestion[]): Promise<readonly Approval[]> {
    const answered = this.#lastQuestion.then(() => this.#answers(list));
    this.#lastQuestion = answered.catch(() => {});
    return answered;
  }

  /** Each is decided once more: what the person said while it waited may have settled it. */
  async #answers(list: readonly OpenQuestion[]): Promise<readonly Approval[]> {
    const answers = new Map<OpenQuestion, Approval | undefined>();
    for (const one of list)
      answers.set(one, one.signal?.aborted === true ? cancelled : await this.#unasked(one.action));
    const open = list.filter((one) => answers.get(one) === undefined);
    const [first] = open;
    const ask = this.options.ask ?? nobody;
    const questions = open.map(({ asked }) => asked);
    const given = first === undefined ? [] : await ask(questions, first.signal);
    for (const [at, one] of open.entries()) answers.set(one, this.#approval(given[at], one));
    return list.map((one) => answers.get(one) ?? unanswered);
  }

  #approval(answer: PersonsAnswer | undefined, { asked }: OpenQuestion): Approval | undefined {
    if (answer?.kind === "outside" && asked.kind === "run") this.#outside.add(asked.request);
    if (answer?.kind === "always") this.allow(answer.allowance);
    if (answer?.kind === "work") return undefined;
    return answer?.kind === "always" || answer?.kind === "outside" ? { kind: "yes" } : answer;
  }

  /** What needs no person; undefined where one is to be asked. */
  async #unasked(action: Action): Promise<Approval | undefined> {
    const decision = await this.#decide(action);
    if (decision.kind === "deny") return { kind: "no", message: decision.message };
    return decision.kind === "allow" ? { kind: "yes" } : undefined;
  }

  async #decide(action: Action): Promise<Decision> {
    const rules = this.#rules;
    for (const { path } of rules) if (path !== undefined) await this.#compile(path);
    const fitsPath = (glob: string, path: string) => this.#globs.get(glob)?.(path) ?? false;
    const { isInside } = this.options;
    return decide(action, { mode: this.mode, rules, always: this.#always, fitsPath, isInside });
  }

  /** A glob that is none fits nothing: settings were checked before. */
  async #compile(glob: string): Promise<void> {
    if (this.#globs.has(glob)) return;
    const compiled = await compileGlob(glob);
    // The slash that a glob begins with is not part of it once compiled: an absolute name is held against one that has it.
    const fits = (name: string): boolean =>
      !isRefusal(compiled) &&
      (name.startsWith("/")
        ? glob.startsWith("/") && compiled.matches(name.slice(1))
        : compiled.matches(name));
    this.#globs.set(glob, fits);
  }
}

const ofCommands: readonly string[] = [commandTool, "read_output"];

function notRun(why: string): HostToolResult {
  return failedCall("denied", `${why} Nothing was done.`);
}

/** Of a command that runs outside anyway, nobody is asked about that. */
function withoutWish({ args: { outside: _, ...args }, ...request }: HostRequest): HostRequest {
  return { ...request, args };
}

function commandIn({ command, directory }: HostRequest["args"]): Pick<Action, "command" | "directory"> {
  if (typeof command !== "string") return {};
  return typeof directory === "string" ? { command, directory } : { command };
}

function denial(answer: Approval): string {
  return (answer.kind === "no" ? answer.message : undefined) ?? "A person said no.";
}

/**
 * The questions of calls that run side by side, as one list: it is asked once each call has asked or has ended. Each gets
 * the answer to its own question.
 */
export class QuestionGroup<Question, Answer> {
  readonly #waiting = new Map<Question, (answer?: Answer) => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param open ids of the calls; none of them may wait for another one.
   * @param askList must not reject.
   */
  constructor(
    private readonly open: Set<string>,
    private readonly askList: (list: readonly Question[]) => Promise<readonly Answer[]>,
  ) {}

  /** Asks together with the others; undefined where the list has been asked, so that the call asks for itself. */
  ask(callId: string, question: Question): Promise<Answer | undefined> | undefined {
    if (!this.open.has(callId)) return undefined;
    // Who takes long, or waits for calls of another answer, does not hold the others up.
    this.#timer ??= setTimeout(() => void this.#ask(), mostWaitMs);
    return new Promise((answer) => {
      this.#waiting.set(question, answer);
      this.end(callId);
    });
  }

  /** The call asks nothing (more). */
  end(callId: string): void {
    if (this.open.delete(callId) && this.open.size === 0) void this.#ask();
  }

  async #ask(): Promise<void> {
    clearTimeout(this.#timer);
    this.open.clear();
    const waiting = [...this.#waiting];
    if (waiting.length === 0) return;
    const answers = await this.askList(waiting.map(([question]) => question));
    for (const [at, [, answer]] of waiting.entries()) answer(answers[at]);
  }
}

const mostWaitMs = 2_000;
