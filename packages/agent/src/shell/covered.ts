import { fitsForm, formOf, isPlainPath, lookingForms } from "./forms.js";
import { type CommandPart, parseScript } from "./parse.js";
import { openEnd, wordsOfRule } from "./rules.js";

/** Where a command runs. */
interface RunsIn {
  /** The folder, as the call names it; the workspace unless given. */
  readonly directory?: string | undefined;
  /** Whether a path is in the workspace once its links are resolved; only its letters count unless given. */
  readonly isInside?: ((path: string) => boolean) | undefined;
}

/** What covers the parts of a command. */
interface Covering {
  /** Rules that allow: the whole part, or, with ` *` at the end, its beginning. */
  readonly rules?: readonly string[];
  /** Beginnings of `formsOf`: what its row lists may follow. */
  readonly forms?: readonly string[];
  /** Beginnings of a person's list: what its row lists may follow, and where it has none any word that is no option. */
  readonly beginnings?: readonly string[];
}

/**
 * Whether a command runs nothing but what is covered: each of its parts is, or it does no harm, such as `cd` into a folder
 * of the workspace, `echo`, and `tail` behind a pipe. What is not understood is not covered. Pure but for `isInside`.
 */
export function isCovered(command: string, by: Covering, runsIn: RunsIn = {}): boolean {
  const parts = partsToCover(command, runsIn) ?? [];
  return parts.length > 0 && parts.every((part) => isPartCovered(part, by));
}

/** The beginnings that cover a command and can be allowed for longer; undefined where only this very command can be. */
export function formsOf(command: string, runsIn: RunsIn = {}): readonly string[] | undefined {
  const parts = partsToCover(command, runsIn) ?? [];
  const forms = [...new Set(parts.flatMap(({ words }) => formOf(words)?.begin ?? []))];
  return isCovered(command, { forms }, runsIn) ? forms : undefined;
}

/** Whether a command only looks, as far as its forms say. Pure but for `isInside`. */
export function onlyLooks(command: string, runsIn: RunsIn = {}): boolean {
  const parts = partsToCover(command, runsIn);
  return parts?.every((part) => isPartCovered(part, { forms: lookingForms(part.words) })) === true;
}

interface PartToCover {
  readonly words: readonly string[];
  readonly isInside: (path: string) => boolean;
}

function isPartCovered({ words, isInside }: PartToCover, by: Covering): boolean {
  const { rules = [], forms = [], beginnings = [] } = by;
  const form = formOf(words, beginnings.length > 0);
  if (form !== undefined && forms.includes(form.begin) && fitsForm(form, words, isInside)) return true;
  const isBegun = (rule: string) => wordsOfRule(rule).every((word, at) => words[at] === word);
  const isWhole = (rule: string) => openEnd.test(rule) || wordsOfRule(rule).length === words.length;
  if ([...rules, ...beginnings].some((rule) => isBegun(rule) && isWhole(rule))) return true;
  return beginnings.filter(isBegun).some((rule) => {
    const own = wordsOfRule(rule);
    if (form === undefined) return words.slice(own.length).every((word) => !/^-|=/u.test(word));
    const begin = form.begin.split(" ").length > own.length ? form.begin : own.join(" ");
    return fitsForm({ ...form, begin }, words, isInside);
  });
}

/** The parts of a command that do not go without saying; undefined where more is in it than plain parts. */
function partsToCover(command: string, { directory, isInside = () => true }: RunsIn) {
  const { parts, isPlain } = parseScript(command);
  // A `cd` may fail: each folder in which a part may run counts.
  const folders = directory === undefined ? [""] : ["", `${directory}/`];
  const isIn = (path: string) =>
    isPlainPath(path) && folders.every((folder) => isInside(`${folder}${path.replace(/::.*$/u, "")}`));
  if (!isPlain || hiddenFolder.test(directory ?? "") || !isInside(directory ?? ".")) return undefined;
  const found: PartToCover[] = [];
  for (const part of parts) {
    const [program = "", folder = "", ...others] = part.words;
    const isFine =
      program !== "" && part.redirects.length === 0 && part.variables.every((one) => harmless.test(one));
    if (!isFine) return undefined;
    if (program === "cd") {
      if (others.length > 0 || !isIn(folder)) return undefined;
      folders.push(`${folders.at(-1)}${folder}/`);
    } else if (!isFree(part, isIn)) {
      // What it reads may be a program; by its path it is another one in another folder.
      if (part.isPiped || (program.includes("/") && folders.length > 1)) return undefined;
      found.push({ words: part.words, isInside: isIn });
    }
  }
  return found;
}

const hiddenFolder = /(^|\/)(\.[^/]|node_modules(\/|$))/u;

function isFree({ words, isPiped }: CommandPart, isInside: (path: string) => boolean): boolean {
  const [program = ""] = words;
  const form = isPiped && filters.includes(program) ? formOf(words) : undefined;
  return harmlessPrograms.includes(program) || (form !== undefined && fitsForm(form, words, isInside));
}

const harmlessPrograms = ["true", "false", "echo", "pwd"];
/** They do nothing to what they read. */
const filters = ["tail", "head", "grep", "wc", "sort", "cat"];
const harmless =
  /^(CI|NODE_ENV|FORCE_COLOR|NO_COLOR|COLUMNS|TZ|LANG|LC_ALL|RUST_BACKTRACE|PYTHONUNBUFFERED)=[\w.-]*$/u;
