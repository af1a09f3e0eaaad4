import { type DueFile, filesDue, refuseConflicts } from "@holdfast/core/conversation";
import { type ChangeRequest, compileGlob, isRefusal, type PathNames, refuse } from "@holdfast/core/files";
import {
  type Approval,
  type Approve,
  type FilesThatFollow,
  type HostRequest,
  type HostTool,
  moreToolsName,
  type Question,
} from "@holdfast/core/tools";
import type { ApprovalMode, ApprovalRule } from "../config/approval.js";
import { type Action, type Allowance, type Decision, decide, isAbout } from "./approval.js";

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
    };

/** What a person answers. */
export type PersonsAnswer =
  | { readonly kind: "yes" }
  | { readonly kind: "no"; readonly message?: string }
  /** Of a change: the text that the person wrote in its place. */
  | { readonly kind: "instead"; readonly request: ChangeRequest }
  /** Yes, and the same need not be asked again in this session. */
  | { readonly kind: "always"; readonly allowance: Allowance };

/** Asks a person: one question at a time. Where the signal comes the answer is a no. Must not throw. */
export type AskPerson = (asked: Asked, signal?: AbortSignal) => Promise<PersonsAnswer>;

/** Nobody is there to be asked: what would be asked is denied, and said. */
export const nobody: AskPerson = async ({ tool }) => ({
  kind: "no",
  message: `Nobody can be asked here, and ${tool} needs approval in this mode.`,
});

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
interface GateOptions {
  readonly mode: ApprovalMode;
  readonly rules: readonly ApprovalRule[];
  readonly ask: AskPerson;
  /** All names of the file that a path means now: `Workspace.namesOf`. */
  readonly namesOf: (path: string) => Promise<PathNames>;
  /** Tools of the host that are never asked about, such as one that reads the output of a command. */
  readonly harmless: readonly string[];
}

/** Stands before everything that changes or runs something: one decision for every way in which a call can do so. */
export class Gate {
  mode: ApprovalMode;
  readonly #always: Allowance[] = [];
  readonly #globs = new Map<string, (path: string) => boolean>();
  #lastQuestion: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: GateOptions) {
    this.mode = options.mode;
  }

  allow(allowance: Allowance): void {
    this.#always.push(allowance);
  }

  /** For `carryOut`: asks before a change, with what it comes to. */
  approverOf({ tool, also }: CallNames, signal?: AbortSignal): Approve {
    return async (question) => {
      const files = question.preview.files.map(({ names }) => names);
      return this.#rule({ kind: "change", tool, also, files }, { kind: "change", tool, question }, signal);
    };
  }

  /**
   * Why a call may not be made: a rule denies it, or a person who was asked because a rule says so. Undefined where it
   * may; nothing is looked up where no rule speaks of its tool. Of a change only a denial counts: what it comes to is asked
   * about later, and a change that is refused before that would show the file.
   */
  async barred(call: JudgedCall, signal?: AbortSignal): Promise<string | undefined> {
    const { kind, tool, also, request } = call;
    const isSpokenOf = this.options.rules.some((rule) => isAbout(rule, call));
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
    const kind = [moreToolsName, ...this.options.harmless].includes(tool.name) ? "look" : "run";
    return {
      ...tool,
      run: async (request, scope) => {
        const action: Action = { kind, tool: tool.name, files: [], ...commandIn(request.args) };
        const asked = { kind: "run", tool: tool.name, request } as const;
        const answer = await this.#rule(action, asked, scope.signal);
        if (answer.kind === "yes") return tool.run(request, scope);
        return { code: "denied", text: `FAILED (denied): ${denial(answer)} Nothing was done.` };
      },
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

  async #rule(action: Action, asked: Asked, signal: AbortSignal | undefined): Promise<Approval> {
    return (await this.#unasked(action)) ?? this.#inTurn(() => this.#asked(action, asked, signal));
  }

  /** One question at a time: calls run side by side, and a person sees and answers one thing. */
  #inTurn(question: () => Promise<Approval>): Promise<Approval> {
    const answered = this.#lastQuestion.then(question);
    this.#lastQuestion = answered.catch(() => {});
    return answered;
  }

  /** Decided once more: what the person said while this one waited may have settled it. */
  async #asked(action: Action, asked: Asked, signal: AbortSignal | undefined): Promise<Approval> {
    if (signal?.aborted === true) return { kind: "no", message: "Cancelled before it was asked." };
    const settled = await this.#unasked(action);
    if (settled !== undefined) return settled;
    const answer = await this.options.ask(asked, signal);
    if (answer.kind !== "always") return answer;
    this.allow(answer.allowance);
    return { kind: "yes" };
  }

  /** What needs no person; undefined where one is to be asked. */
  async #unasked(action: Action): Promise<Approval | undefined> {
    const decision = await this.#decide(action);
    if (decision.kind === "deny") return { kind: "no", message: decision.message };
    return decision.kind === "allow" ? { kind: "yes" } : undefined;
  }

  async #decide(action: Action): Promise<Decision> {
    const { rules } = this.options;
    for (const { path } of rules) if (path !== undefined) await this.#compile(path);
    const fitsPath = (glob: string, path: string) => this.#globs.get(glob)?.(path) ?? false;
    return decide(action, { mode: this.mode, rules, always: this.#always, fitsPath });
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

function commandIn({ command, directory }: HostRequest["args"]): Pick<Action, "command" | "directory"> {
  if (typeof command !== "string") return {};
  return typeof directory === "string" ? { command, directory } : { command };
}

function denial(answer: Approval): string {
  return (answer.kind === "no" ? answer.message : undefined) ?? "A person said no.";
}
