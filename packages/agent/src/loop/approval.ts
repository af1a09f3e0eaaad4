import type { PathNames } from "@holdfast/core/files";
import type { ApprovalMode, ApprovalRule } from "../config/approval.js";
import { planToolName } from "../host/plan.js";
import { isCovered, onlyLooks } from "../shell/covered.js";
import { fitOf } from "../shell/rules.js";

/** Something that the model is about to do, as far as a decision goes. */
export interface Action {
  /**
   * `change`: files are written. `run`: something else is done, such as a command. `look`: nothing is changed; `move`: the
   * conversation is. The last two are allowed but for a rule, and a move in plan mode is none.
   */
  readonly kind: "change" | "run" | "look" | "move";
  readonly tool: string;
  /** Other names under which a rule speaks of it. */
  readonly also?: readonly string[];
  /** The files that would change, by all their names. */
  readonly files: readonly PathNames[];
  /** The words of a command. */
  readonly command?: string;
  /** Where a command runs, as the model wrote it; the workspace unless given. */
  readonly directory?: string;
  /** It says in a person's name that what others left in files may be lost: nobody but a person may say so. */
  readonly consents?: true;
  /** A command that asks to run outside of the sandbox: whatever allows it, allows it inside. */
  readonly leaves?: true;
  /** A command that will run where it can write nothing. */
  readonly isReadOnly?: boolean | undefined;
}

/** What is allowed, by mode, rules, and what the person said in this session. */
interface ApprovalPolicy {
  readonly mode: ApprovalMode;
  readonly rules: readonly ApprovalRule[];
  /** Whether a glob of a rule fits one name. */
  readonly fitsPath: (glob: string, path: string) => boolean;
  /** What the person allowed for the session. */
  readonly always: readonly Allowance[];
  /** Whether a path that a command names is in the workspace, links resolved; only its letters count unless given. */
  readonly isInside?: ((path: string) => boolean) | undefined;
}

/** What a person allows for the rest of a session. */
export type Allowance =
  /** By its real name: `PathNames.real`. */
  | { readonly kind: "file"; readonly path: string }
  /** Every call of a tool, whatever its arguments are. */
  | { readonly kind: "tool"; readonly tool: string }
  /** One command, word for word, in one directory. */
  | {
      readonly kind: "command";
      readonly tool: string;
      readonly command: string;
      readonly directory?: string;
    }
  /** Commands whose parts begin so, and go on with nothing but what is listed for it: see `formsOf`. */
  | { readonly kind: "forms"; readonly forms: readonly string[] };

/** Whether it may be done. */
export type Decision =
  | { readonly kind: "allow" | "ask" }
  | { readonly kind: "deny"; readonly message: string };

/**
 * Decides on an action. Pure. Plan mode comes first, then the first rule that fits, then what the person allowed, then
 * the mode; a consent in a person's name, and a command that asks to leave the sandbox, are asked about in each mode, whatever
 * was allowed. A write to a protected path never gets here: the workspace refuses it, whatever is decided.
 */
export function decide(action: Action, policy: ApprovalPolicy): Decision {
  const { mode } = policy;
  const planned = mode === "plan" ? deniedByPlan(action, policy) : undefined;
  if (planned !== undefined) return { kind: "deny", message: `This is plan mode: ${planned} ${handIn}` };
  const ruled = ruledBy(action, policy);
  if (ruled === "deny")
    return { kind: "deny", message: `A rule of the settings denies ${action.tool} here.` };
  if (action.consents === true || action.leaves === true) return { kind: "ask" };
  if (ruled !== undefined) return { kind: ruled };
  if (isAllowed(action, policy) || action.kind === "look" || action.kind === "move") return { kind: "allow" };
  switch (mode) {
    case "plan":
    case "yolo":
      return { kind: "allow" };
    case "auto-edit":
      return { kind: action.kind === "change" ? "allow" : "ask" };
    case "ask":
      return { kind: "ask" };
    default:
      return mode satisfies never;
  }
}

/** Why something cannot be done until a plan is approved; undefined where it can. */
function deniedByPlan(action: Action, { isInside }: ApprovalPolicy): string | undefined {
  const { kind, tool, command, directory, leaves, isReadOnly } = action;
  if (kind === "look") return undefined;
  if (kind !== "run" || tool !== commandTool || command === undefined)
    return "nothing is changed until the user approves a plan.";
  if (leaves === true) return "no command leaves the sandbox until the user approves a plan.";
  if (isReadOnly === true || onlyLooks(command, { directory, isInside })) return undefined;
  return "without a sandbox only commands run that look, such as git diff, ls and grep.";
}

const handIn = `Put it into the plan; ${planToolName} hands that in.`;

/** The first rule that fits decides. Where one that denies or asks may be about a command, and no more is known, it asks. */
function ruledBy(action: Action, policy: ApprovalPolicy): ApprovalRule["decision"] | undefined {
  const { command } = action;
  const rules: string[] = [];
  let isDoubtful = false;
  for (const rule of policy.rules) {
    const { command: words, decision } = rule;
    if (!isAbout(rule, action) || !fitsPaths(rule, action, policy)) continue;
    if (words === undefined) return isDoubtful && decision === "allow" ? "ask" : decision;
    if (command === undefined) continue;
    if (decision !== "allow") {
      const fit = fitOf(words, command);
      if (fit === "yes") return decision;
      isDoubtful ||= fit === "maybe";
    } else if (action.tool === commandTool) {
      // What else a tool of a server does with its `command`, nobody knows: nothing is allowed by it.
      rules.push(words);
      if (isCovered(command, { rules }, { ...action, ...policy })) return isDoubtful ? "ask" : "allow";
    }
  }
  return isDoubtful ? "ask" : undefined;
}

function fitsPaths(
  { path: glob, decision }: ApprovalRule,
  { files }: Action,
  { fitsPath }: ApprovalPolicy,
): boolean {
  if (glob === undefined) return true;
  const fits = (name: string) => fitsPath(glob, name);
  // A rule that allows speaks of every file of the call, of its name as well as of where a link leads; one that denies or
  // asks, of any name of any of them.
  const allows = ({ named, real }: PathNames) => named.some(fits) && real.some(fits);
  const bars = ({ named, real, within }: PathNames) => [...named, ...real, ...within].some(fits);
  return decision === "allow" ? files.length > 0 && files.every(allows) : files.some(bars);
}

/** Whether a rule speaks of a tool, whatever of its calls. */
export function isAbout(rule: ApprovalRule, { tool, also = [] }: Pick<Action, "tool" | "also">): boolean {
  return [tool, ...also].some((name) => fitsName(rule.tool, name));
}

/** The one tool of which the words of its command are all that it does. */
export const commandTool = "run_shell_command";

/** `*` stands for any run of characters, `|` stands between names. */
function fitsName(pattern: string, name: string): boolean {
  if (pattern.includes("|")) return pattern.split("|").some((one) => fitsName(one, name));
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return pattern === name;
  const last = rest.pop() ?? "";
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > name.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

function isAllowed(action: Action, policy: ApprovalPolicy): boolean {
  const { tool, files } = action;
  const { always } = policy;
  const byTool = always.some((one) => one.kind === "tool" && one.tool === tool);
  const byFile = ({ real }: PathNames) =>
    always.some((one) => one.kind === "file" && real.includes(one.path));
  return byTool || isAllowedCommand(action, policy) || (files.length > 0 && files.every(byFile));
}

function isAllowedCommand(
  { tool, command, directory }: Action,
  { always, isInside }: ApprovalPolicy,
): boolean {
  if (command === undefined) return false;
  const isExact = always.some(
    (one) =>
      one.kind === "command" && one.tool === tool && one.command === command && one.directory === directory,
  );
  const forms = always.flatMap((one) => (one.kind === "forms" ? one.forms : []));
  return isExact || (tool === commandTool && isCovered(command, { forms }, { directory, isInside }));
}
