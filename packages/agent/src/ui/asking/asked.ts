import { consentLine } from "@holdfast/core/conversation";
import type { FileChange } from "@holdfast/core/files/values";
import { describeShown } from "@holdfast/core/patch";
import {
  clip,
  defined,
  escapeForDisplay,
  escapeForPeople,
  escapeText,
  nameWithLink,
  shortHash,
} from "@holdfast/core/text";
import { describeRepair } from "@holdfast/core/tools";
import type { ApprovalMode } from "../../config/approval.js";
import type { Allowance } from "../../loop/approval.js";
import type { Asked, PersonsAnswer } from "../../loop/gate.js";
import { formsOf } from "../../shell/covered.js";
import { wordsOfForm } from "../../shell/forms.js";
import { type DiffOptions, linesOfDiff } from "../diff/diff-lines.js";
import { type ComparedTexts, comparedTexts, namedHunks, withHunks } from "../diff/hunks.js";
import { dataLine, elastic, type Line, signedLine, span } from "../lines/spans.js";

/** What was typed as the answer to a plan: a mode in which the work begins, or a no. @param edited the plan by now. */
export function answerToPlan(said: string, edited: string | undefined): PersonsAnswer {
  const word = said.trim().toLowerCase();
  const mode = planAnswers.get(word);
  if (mode !== undefined) return { kind: "work", mode, ...defined({ plan: edited }) };
  return ["", "n", "no"].includes(word) ? { kind: "no" } : { kind: "no", message: said.trim() };
}

const planAnswers: ReadonlyMap<string, ApprovalMode> = new Map([
  ...["y", "yes", "ask"].map((word) => [word, "ask"] as const),
  ...["a", "auto", "auto-edit"].map((word) => [word, "auto-edit"] as const),
  ["o", "yolo"],
  ["yolo", "yolo"],
]);

/** What a person typed as the answer. Whatever is none of the words offered is a no, with it as a word for the model. */
export function answerOf(said: string, asked: Asked, hides = false): PersonsAnswer {
  const words = said.trim();
  switch (words.toLowerCase()) {
    case "y":
    case "yes":
      return { kind: "yes" };
    case "":
    case "n":
    case "no":
      return { kind: "no" };
    case "a":
    case "always": {
      const reach = hides ? undefined : reachOf(asked);
      // What cannot be allowed for longer was not offered: that is no yes.
      return reach === undefined ? notOffered : { kind: "always", allowance: reach.allowance };
    }
    case "e":
    case "exact": {
      const exact = hides ? undefined : reachOf(asked)?.exact;
      return exact === undefined ? notOffered : { kind: "always", allowance: exact };
    }
    case "o":
    case "outside":
      return canLeave(asked) ? { kind: "outside" } : notOffered;
    default:
      return { kind: "no", message: words };
  }
}

/** Whether a command can be let out of the sandbox, this once: where that stood in its way. */
function canLeave(asked: Asked): boolean {
  return asked.kind === "run" && asked.request.isBarred === true;
}

const notOffered: PersonsAnswer = { kind: "no", message: "This is asked about each time." };

/** A question as a person reads it, and whether something of it does not fit. */
interface ShownQuestion {
  readonly lines: readonly Line[];
  readonly hides: boolean;
}

/** The words that can be typed, with how far "always" reaches: never where something was not shown. */
export function choicesOf(asked: Asked, hides = false): string {
  const outside = canLeave(asked) ? ", [o]utside the sandbox, this once" : "";
  if (asked.kind === "later") return "Keep them? [y]es, [n]o, they are taken back: ";
  if (asked.kind === "plan")
    return `Do it? [y]es, each change is asked about, [a]uto-edit, y[o]lo, [e]dit, [n]o${hides ? ", [s]how all" : ""}: `;
  if (hides) return `Do it? [y]es, [n]o${outside}, [s]how all: `;
  const reach = reachOf(asked);
  const always = reach === undefined ? "" : `, [a]lways (${reach.words}, in this session)`;
  const exact = reach?.exact === undefined ? "" : ", always [e]xactly this";
  const hunks = countOf(partsOf(asked));
  const parts = hunks > 1 ? `, some by number (1-${hunks})` : "";
  return `Do it? [y]es, [n]o${outside}${always}${exact}${editableOf(asked) === undefined ? "" : ", [e]dit"}${parts}: `;
}

/** The one file of a change whose text a person can write; undefined where nothing or several are written. */
export function editableOf(asked: Asked): ChangedFile | undefined {
  if (asked.kind !== "change") return undefined;
  const [file, ...others] = asked.question.preview.files;
  return others.length === 0 && file !== undefined && file.after !== null ? file : undefined;
}

/** A file of a change, as texts, and the number of its first hunk among those of all files. */
interface FilePart {
  readonly file: ChangedFile;
  readonly texts: ComparedTexts;
  readonly first: number;
}

/** The files of which some hunks can be taken; none where that cannot be done without loss. */
function partsOf(asked: Asked): readonly FilePart[] {
  if (asked.kind !== "change") return [];
  const { files } = asked.question.preview;
  const isOne = files.length === 1;
  if (
    isOne ? files.some((file) => file.before === null || file.after === null) : !isSplittable(asked.question)
  )
    return [];
  const parts: FilePart[] = [];
  let first = 1;
  for (const file of files) {
    const texts = textsOfChange(file);
    if (texts === undefined || texts.hunks.length === 0) return [];
    parts.push({ file, texts, first });
    first += texts.hunks.length;
  }
  return first > 2 ? parts : [];
}

/** Whether each file of a set could be changed by itself, as a text: no name, link or encoding hangs on another part. */
function isSplittable({
  request,
  preview: { files },
}: Extract<Asked, { kind: "change" }>["question"]): boolean {
  if (request.kind !== "apply_changes") return false;
  const isPlain =
    "changes" in request
      ? request.changes.every(
          ({ encoding, renameTo, isLink, content }) =>
            encoding === undefined &&
            renameTo === undefined &&
            isLink === undefined &&
            !(content.kind === "text" && typeof content.text !== "string"),
        )
      : request.encoding === undefined;
  // One that goes and one that comes may be one file with another name.
  const isRename = files.some(({ after }) => after === null) && files.some(({ before }) => before === null);
  return isPlain && !isRename && files.every(({ leadsTo }) => leadsTo === undefined);
}

function countOf(parts: readonly FilePart[]): number {
  return parts.reduce((sum, { texts }) => sum + texts.hunks.length, 0);
}

/** An answer that takes some of the changes only, by their numbers; undefined where it is another one. */
export function answerByNumbers(said: string, asked: Asked): PersonsAnswer | undefined {
  const parts = partsOf(asked);
  const count = countOf(parts);
  const taken = count > 1 ? namedHunks(said, count) : undefined;
  if (taken === undefined) return undefined;
  if (taken.size === count) return { kind: "yes" };
  const left = parts.flatMap(({ file, texts, first }) =>
    texts.hunks.flatMap(({ newFrom, newTo }, at) => {
      const whose = parts.length > 1 ? `${escapeForPeople(file.path)} ` : "";
      return taken.has(first + at) ? [] : [`${whose}lines ${newFrom + 1}-${newTo} of what was proposed`];
    }),
  );
  const words = `The user took ${taken.size} of ${count} changes; left out: ${left.join(", ")}.`;
  const [part, ...others] = parts;
  if (part !== undefined && others.length === 0)
    return written(part.file, withHunks(part.texts, taken), words);
  const changes = parts.flatMap((one) => changeOf(one, taken) ?? []);
  return { kind: "instead", request: { kind: "apply_changes", changes }, said: words };
}

/** What becomes of one file of a set; undefined where none of its hunks is taken. */
function changeOf({ file, texts, first }: FilePart, taken: ReadonlySet<number>): FileChange | undefined {
  const own = new Set(texts.hunks.flatMap((_, at) => (taken.has(first + at) ? [at + 1] : [])));
  if (own.size === 0) return undefined;
  const base = file.agreed.before === null ? {} : { base: file.agreed.before };
  if (file.after === null) return { path: file.path, ...base, content: { kind: "delete" } };
  return { path: file.path, ...base, content: { kind: "text", text: withHunks(texts, own) } };
}

/** Whether only numbers were typed: where they name no parts, that is a slip, and no word for the model. */
export function isNumbers(said: string): boolean {
  return /^\s*\d[\d\s,-]*$/u.test(said);
}

/** The answer of a person who wrote the text of a file. */
export function answerByText(file: ChangedFile, text: string): PersonsAnswer {
  return written(file, text, "The user edited this text before it was written.");
}

function written({ path, agreed }: ChangedFile, content: string, said: string): PersonsAnswer {
  const base = agreed.before === null ? {} : { base: agreed.before };
  return { kind: "instead", request: { kind: "write", path, content, ...base }, said };
}

/** How a list of changes is asked about, each of which was shown. */
export function choicesOfList(list: readonly Asked[], hides: boolean): string {
  const more = hides ? ", [s]how all" : "";
  return `Make all ${list.length} changes? [y]es to all, [n]o to all, [o]ne by one${more}: `;
}

/** What was typed as the answer to a list; undefined where each is to be asked about by itself. */
export function answerOfList(said: string, list: readonly Asked[]): readonly PersonsAnswer[] | undefined {
  if (/^o(ne( by one)?)?$/iu.test(said.trim()) || isNumbers(said)) return undefined;
  // Nothing is allowed for longer by an answer to many.
  return list.map((asked) => answerOf(said, asked, true));
}

/**
 * A question about a change.
 *
 * @param isWhole nothing is left out, however long it is. @param options how differences are drawn.
 */
export function linesOfAsked(asked: Asked, isWhole = false, options: DiffOptions = {}): ShownQuestion {
  switch (asked.kind) {
    case "change": {
      const { message, files } = asked.question.preview;
      const parts = partsOf(asked);
      const count = countOf(parts);
      const shown = files.map((file) => {
        const part = parts.length > 1 ? parts.find((one) => one.file === file) : undefined;
        const numbers = part && { first: part.first, count };
        return { file, diff: diffOf(file, isWhole, { ...options, ...defined({ numbers }) }) };
      });
      const lines = [
        ...linesOfText(`${asked.tool} wants to ${wishOf(files)}; nothing is done yet.`),
        ...linesOfText(`If yes, the model reads: ${message}`),
        ...shown.flatMap(({ file, diff }) => [...repairsOf(file), ...diff.lines]),
      ];
      return { lines, hides: shown.some(({ diff }) => diff.hides) };
    }
    case "run":
      return callWords(asked, isWhole);
    case "restore": {
      const lines = asked.files.map((file) => consentLine(file, asked.consent));
      return { lines: linesOfText([restoreHead(asked), ...lines].join("\n")), hides: false };
    }
    case "later": {
      const files = asked.files.map(({ shown, reason }) => `  ${escapeForPeople(shown)}: ${reason}`);
      const head = `${asked.tool} made or changed files that run later, without a word to you:`;
      return { lines: linesOfText([head, ...files].join("\n")), hides: false };
    }
    case "plan": {
      const shown = isWhole ? asked.plan : within(asked.plan);
      return { lines: linesOfText(`The plan; nothing is done yet:\n${shown}`), hides: shown !== asked.plan };
    }
    default:
      return asked satisfies never;
  }
}

/** What happens to the files of a change, in a few words. */
function wishOf(files: readonly ChangedFile[]): string {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) return `change ${files.length} files`;
  const { before, after } = file.sizes;
  return `${before === null ? "create" : after === null ? "delete" : "change"} ${nameWithLink(file)}`;
}

type RunAsked = Extract<Asked, { kind: "run" }>;

/** How far "always" reaches, and what allows no more than this very call where that is less. */
interface AlwaysReach {
  readonly allowance: Allowance;
  readonly words: string;
  readonly exact?: Allowance;
}

/** Undefined where only this call can be allowed. */
function reachOf(asked: Asked): AlwaysReach | undefined {
  switch (asked.kind) {
    case "change": {
      const [file, ...others] = asked.question.preview.files;
      const path = file?.names.real[0];
      if (file === undefined || path === undefined || others.length > 0) return undefined;
      return {
        allowance: { kind: "file", path },
        words: clip(nameWithLink(file), mostNameChars),
      };
    }
    case "run":
      return reachOfRun(asked);
    case "restore":
    case "later":
    case "plan":
      return undefined;
    default:
      return asked satisfies never;
  }
}

function restoreHead({ tool, consent }: Extract<Asked, { kind: "restore" }>): string {
  const head = `${tool} asks; nothing is done yet. Files go back:`;
  if (consent.length === 0) return head;
  return `${head}\nThe model says that you agreed to lose what others left in ${consent.map(escapeForDisplay).join(", ")}.`;
}

function reachOfRun({ tool, request: { args } }: RunAsked): AlwaysReach | undefined {
  const { command, directory, outside } = args;
  if (tool !== shellTool || typeof command !== "string")
    return { allowance: { kind: "tool", tool }, words: `every call of ${escapeForPeople(tool)}` };
  // A command leaves the sandbox once.
  if (outside === true) return undefined;
  const place = typeof directory === "string" ? { directory } : {};
  const exact = { kind: "command", tool, command, ...place } as const;
  const forms = formsOf(command, place);
  if (forms === undefined) return { allowance: exact, words: "this very command" };
  return { allowance: { kind: "forms", forms }, words: `${forms.join(" …, ")} …`, exact };
}

/** Its words are shown as they will be run; those of another tool mean whatever that tool makes of them. */
const shellTool = "run_shell_command";

/** The whole call: a summary is written for models, and what is not shown cannot be agreed to. */
function callWords(asked: RunAsked, isWhole: boolean): ShownQuestion {
  const { tool, request } = asked;
  const { args, sandboxed } = request;
  const { command, ...others } = args;
  const isShell = tool === shellTool && typeof command === "string";
  const begin = isShell ? escapeText(command) : "";
  const rest = Object.entries(isShell ? others : args).map(
    ([name, value]) =>
      [escapeForPeople(name), escapeForPeople(JSON.stringify(value) ?? "undefined")] as const,
  );
  const cut = (text: string) => (isWhole ? text : within(withoutPadding(text)));
  // Further lines of a command are marked, so that none is taken for a line of ours.
  const head = isShell ? `${tool}: ${cut(begin).replaceAll("\n", "\n  | ")}` : tool;
  const outside = sandboxed === false ? ["  It runs outside the sandbox."] : [];
  const allowance = reachOfRun(asked)?.allowance;
  const always = allowance?.kind === "forms" ? allowance.forms.map((form) => `  ${wordsOfForm(form)}`) : [];
  const shown = rest.map(([name, value]) => `  ${name}: ${cut(value)}`);
  const words = [head, ...shown, ...outside, ...always].join("\n");
  return {
    lines: words.split("\n").map((line) => [elastic(line)]),
    hides: [begin, ...rest.map(([, value]) => value)].some((text) => cut(text) !== text),
  };
}

/** Behind so many blanks the rest would not be looked for. */
function withoutPadding(text: string): string {
  return text.replaceAll(
    /[^\S\n]{40,}|\n{10,}/gu,
    (blanks) => ` [${blanks.length.toLocaleString("en")} blanks] `,
  );
}

function within(text: string): string {
  const shown = clip(text, mostChars);
  // The last character of what was cut stands for the cut.
  const left = text.length - shown.length + 1;
  return text.length <= mostChars ? text : `${shown} [${left.toLocaleString("en")} characters are not shown]`;
}

const mostChars = 8_000;
const mostNameChars = 200;
const mostLines = 200;
const mostLineChars = 2_000;

type ChangedFile = Extract<Asked, { kind: "change" }>["question"]["preview"]["files"][number];

/** What was put right in the model's call, so that it is the diff below. */
function repairsOf({ change }: ChangedFile): readonly Line[] {
  return change.repairs.map((repair) => [span(`Repaired: ${describeRepair(repair)}.`, "note")]);
}

function diffOf(file: ChangedFile, isWhole: boolean, options: DiffOptions): ShownQuestion {
  const { sizes, agreed } = file;
  const head: Line = [span(`--- ${nameWithLink(file)}`, "strong")];
  const texts = textsOfChange(file);
  if (texts === undefined) {
    const [old, fresh] = [stateWords(sizes.before, agreed.before), stateWords(sizes.after, agreed.after)];
    return { lines: [head, [span(`no text: ${old} becomes ${fresh}`)]], hides: false };
  }
  const isDrawn = isWhole || isShort(texts);
  // Of what is long the places that differ are shown, of each side some.
  const shown = isDrawn
    ? undefined
    : describeShown(file.before ?? "", file.after ?? "", { maxLines: mostLines });
  // Where nothing has to be left out after all, the changes keep their numbers.
  if (shown === undefined || shown.isWhole) {
    const lines = linesOfDiff(texts, { ...options, language: /[^/][.]([^./]*)$/.exec(file.path)?.[1] ?? "" });
    return { lines: [head, ...lines.map(dataLine)], hides: false };
  }
  return { lines: [head, ...shown.text.split("\n").map(signedLine)], hides: true };
}

/** Looked at before anything is drawn: to draw megabytes takes seconds. */
function isShort({ old, fresh, hunks }: ComparedTexts): boolean {
  const lines = hunks.flatMap(({ newFrom, newTo, changes }) => [
    ...fresh.slice(newFrom, newTo),
    ...changes.flatMap((one) => old.slice(one.oldFrom, one.oldTo)),
  ]);
  return lines.length <= mostLines && lines.every(({ length }) => length <= mostLineChars);
}

/** A change as two texts; undefined where one of them is none. */
function textsOfChange(file: ChangedFile): ComparedTexts | undefined {
  const { before, after, sizes } = file;
  const isText = (before !== null || sizes.before === null) && (after !== null || sizes.after === null);
  if (!isText) return undefined;
  const texts = compared.get(file) ?? comparedTexts(before ?? "", after ?? "");
  compared.set(file, texts);
  return texts;
}

/** A comparison has little time: a second one may find other changes than those whose numbers were shown. */
const compared = new WeakMap<ChangedFile, ComparedTexts>();

function linesOfText(text: string): readonly Line[] {
  return escapeText(text)
    .split("\n")
    .map((line) => [span(line)]);
}

function stateWords(bytes: number | null, sha256: string | null): string {
  return sha256 === null || bytes === null
    ? "no file"
    : `${bytes.toLocaleString("en")} bytes (${shortHash(sha256)})`;
}
