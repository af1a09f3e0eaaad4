import type { LineEdit } from "@holdfast/core/files/seen";
import type { OutcomeCode } from "@holdfast/core/files/values";
import { carriesContent, type WriteOutcome } from "@holdfast/core/files/values";
import { clip } from "@holdfast/core/text";
import {
  describeRepair,
  fileOfCall,
  findTool,
  type HostToolResult,
  parseArguments,
  type RanProgram,
  type ToolRun,
  toolOfName,
} from "@holdfast/core/tools";
import { secondsWords } from "../../host/shell-tool.js";
import { type Todo, todoLines, todosIn, todosName } from "../../host/todos.js";
import type { EndedCall } from "../../loop/turn.js";
import { elastic, type Line, type Span, span } from "../lines/spans.js";

/** A call while it goes on: a command as it is run, of others the name and what they are given. */
export function callHead({ name, args }: Pick<EndedCall, "name" | "args">): Line {
  const { command } = args;
  const isShell = name === "run_shell_command" && typeof command === "string";
  return isShell ? [span("$ "), elastic(oneLine(command))] : [span(name), ...saidIn(args)];
}

/** A call that has ended: one line, and below it what was mended, further files, the last that was printed. */
export function callLines(call: EndedCall): readonly Line[] {
  const { run, code, isError } = call;
  const todos = call.name === todosName && !isError ? todosIn(call.args) : undefined;
  if (todos !== undefined) return listLines(todos);
  if (run !== undefined && "result" in run) return resultLines(run, call);
  if (run?.program !== undefined) return [...programLines(run.program, call), ...outsideLines(run)];
  const head = callHead({ name: call.name, args: takenBy(call) });
  return [[...head, isError ? span(` ✗ ${codeWords(code)}`, "bad") : done]];
}

/** What its tool took of a call; all that it was given where it was refused, or is of the host. */
function takenBy({ name, args }: EndedCall): EndedCall["args"] {
  const tool = toolOfName(name);
  const read = tool === undefined ? undefined : parseArguments(tool, args);
  // A cast: they are a part of the call's own, which are JSON.
  return read?.kind === "parsed" ? (read.values as EndedCall["args"]) : args;
}

/** The list of what is to be done, with what is under way and what is done. */
function listLines(todos: readonly Todo[]): readonly Line[] {
  const kinds = { todo: "plain", doing: "accent", done: "faint" } as const;
  const lines = todoLines(todos).map(
    (line, at): Line => [span("  "), elastic(line, kinds[todos[at]?.state ?? "todo"])],
  );
  return [[span("To do", "heading")], ...lines];
}

const done = span(" ✓", "good");

/** The offer to a person whose command the sandbox barred. */
function outsideLines({ barred }: HostToolResult): readonly Line[] {
  if (barred === undefined) return [];
  return [below(barred), below("Its next question offers [o]utside; your own ! runs outside.")];
}

function programLines({ id, end, lastLines }: RanProgram, call: EndedCall): readonly Line[] {
  const took = end === undefined ? ` … in the background as ${id}` : ` … ${secondsWords(end.seconds)}`;
  const exit =
    end === undefined ? "" : `, ${end.exitCode === null ? codeWords(call.code) : `exit ${end.exitCode}`}`;
  const head = [...callHead(call), span(took, "faint"), span(exit, call.isError ? "bad" : "good")];
  return [head, ...lastLines.map((line) => below(line))];
}

function resultLines({ result, reply }: ToolRun, call: EndedCall): readonly Line[] {
  const named = findTool(call.name);
  const path = (named && fileOfCall(named, call.args)) ?? "the file";
  switch (result.kind) {
    case "read":
      return linesOfRead(result.outcome, call);
    case "read_many":
      return together(
        "read",
        result.outcome.files.map((one) => linesOfRead(one, call)),
      );
    case "list":
    case "find":
    case "search":
      return [[span(result.kind), ...saidIn(takenBy(call)), foundSpan(result.outcome)]];
    case "write":
      return linesOfWrite(result.outcome, path, call, reply.shown.length > 0);
    case "change_set": {
      const { files } = result.outcome;
      return together(
        "change",
        files.map((file) => linesOfWrite(file.outcome, file.path, call, reply.shown.length > 0)),
      );
    }
    case "preview":
      return result.preview.files.map((file) => [
        span("try "),
        elastic(file.path),
        ...counts(file.change.changes),
      ]);
    case "refused":
      return refused(call.name, result.refusal.code, path);
    default:
      return result satisfies never;
  }
}

/** One line where it is about one file; else a line for each below how many they are. */
function together(verb: string, files: readonly (readonly Line[])[]): readonly Line[] {
  if (files.length === 1) return files.flat();
  const shown = files.slice(0, mostFiles).flatMap((lines) => lines.map((line) => [span("  "), ...line]));
  const more = files.length > mostFiles ? [below(`and ${files.length - mostFiles} more`)] : [];
  return [[span(`${verb} ${files.length} files`)], ...shown, ...more];
}

/** Files of one call that have a line each. */
const mostFiles = 12;

function linesOfRead(
  outcome: Extract<ToolRun["result"], { kind: "read" }>["outcome"],
  call: EndedCall,
): readonly Line[] {
  if (outcome.kind === "refusal") return refused("read", outcome.code, outcome.path);
  const { state } = outcome;
  const { path, facts, lines = { from: 1, to: facts?.totalLines ?? 0 } } = state;
  return [
    [span("read "), elastic(path), span(` ${lines.from}-${lines.to}${stateWords(state, call)}`, "faint")],
  ];
}

function linesOfWrite(
  outcome: WriteOutcome,
  path: string,
  call: EndedCall,
  isShown: boolean,
): readonly Line[] {
  if (outcome.kind === "refusal")
    return refused(
      "edit",
      outcome.code,
      outcome.state?.path ?? path,
      isShown && carriesContent(outcome.code),
    );
  const { state, together: others = [], displacedNote } = outcome;
  const version = span(stateWords(state, call), "faint");
  if (outcome.kind === "unchanged")
    return [[span("edit "), elastic(state.path), version, span(" is so already", "faint")]];
  const { movedFrom, change } = outcome;
  const from = movedFrom === undefined ? [] : [elastic(movedFrom), span(" → ")];
  const name = [span(`${verbOf(outcome)} `), ...from, elastic(state.path)];
  return [
    [...name, ...counts(change.changes), version, done],
    ...change.repairs.map((repair) => below(`repaired: ${describeRepair(repair)}`, "note")),
    ...(displacedNote === undefined ? [] : [below(displacedNote.trim(), "note")]),
    // What became of the old name of a file that was moved is said with it.
    ...(movedFrom === undefined ? others.flatMap((one) => linesOfWrite(one, path, call, isShown)) : []),
  ];
}

/** Which state of a file it is: its number among those of the file, and the beginning of its SHA-256. */
function stateWords(
  { path, sha256 }: { readonly path: string; readonly sha256: string | null },
  { counted = [] }: EndedCall,
): string {
  if (sha256 === null) return "";
  const { version } = counted.find((one) => one.path === path && one.after === sha256) ?? {};
  return `${version === undefined ? "" : ` v${version}`} ${sha256.slice(0, shownHash)}`;
}

/** Characters of a hash that a person tells states apart by. */
const shownHash = 7;

function verbOf({ movedFrom, state, replaced }: Extract<WriteOutcome, { kind: "written" }>): string {
  if (movedFrom !== undefined) return "move";
  if (state.sha256 === null) return "delete";
  return replaced === null ? "create" : "edit";
}

function foundSpan(
  outcome: Extract<ToolRun["result"], { kind: "list" | "find" | "search" }>["outcome"],
): Span {
  if (outcome.kind === "refusal") return span(` ✗ ${codeWords(outcome.code)}`, "bad");
  const names = outcome.kind === "listed" ? outcome.entries : outcome.files;
  const { length } = names ?? (outcome.kind === "searched" ? outcome.matches : []);
  return span(` ${length}${(outcome.more ?? false) === false ? "" : "+"} found`, "faint");
}

function counts(changes: readonly LineEdit[]): readonly Span[] {
  const sum = (of: "added" | "removed") => changes.reduce((lines, edit) => lines + edit[of], 0);
  const [added, removed] = [sum("added"), sum("removed")];
  return [span(added === 0 ? "" : ` +${added}`, "good"), span(removed === 0 ? "" : ` -${removed}`, "bad")];
}

/** Why a file was not read or changed, in a person's words. @param isShown the model was shown what is there. */
function refused(verb: string, code: OutcomeCode, path: string, isShown = false): readonly Line[] {
  const said = sentenceOf(code)?.replace("%", () => path) ?? `${path}: ${codeWords(code)}`;
  const shown = code === "state_mismatch" ? "the new state" : "what is there";
  return [[span(verb), span(` ✗ ${said}${isShown ? `; the model was shown ${shown}` : ""}`, "bad")]];
}

/** What codes mean that a person meets; the others are read as they are. `%` is the file. */
const sentences: Readonly<Partial<Record<OutcomeCode, string>>> = {
  state_mismatch: "% changed since the model read it",
  unknown_base: "the model named a state of % that nobody knows",
  missing_base: "the model did not say which state of % it means",
  not_read: "the model has not read %",
  unseen_lines: "the model has not read these lines of %",
  invalid_diff: "the change does not fit %",
  ambiguous: "the change fits % at several places",
  not_found: "the text to replace is not in %",
  file_missing: "% is not there",
  exists: "% is there already",
  outside_workspace: "% is outside the folder",
  not_applied: "% fits, but another file was refused",
};

/** What a code means, with `%` for the file; undefined of those that are read as they are. */
function sentenceOf(code: string): string | undefined {
  // A cast: what is no key gives undefined.
  return sentences[code as OutcomeCode];
}

/** Why a call was not carried out, where no file is named beside it. */
export function whyNot(code: string): string {
  return sentenceOf(code)?.replace("%", "the file") ?? codeWords(code);
}

function codeWords(code: string): string {
  return code.replaceAll("_", " ");
}

/** A line below that of a call. */
export function below(text: string, kind: Span["kind"] = "faint"): Line {
  return [span("  "), elastic(text.replaceAll("\t", "    "), kind)];
}

/** The texts that a call is given; a hash says nothing to a person. */
function saidIn(args: EndedCall["args"]): Line {
  const texts = Object.values(args).filter((value) => typeof value === "string");
  const said = texts.filter((text) => !/^[0-9a-f]{64}$/iu.test(text)).map(oneLine);
  return said.length === 0 ? [] : [span(" "), elastic(said.join(" "), "faint")];
}

/** The beginning of a text, in one line. */
function oneLine(text: string): string {
  return clip(text.slice(0, 800).replace(/\s+/gu, " ").trim(), 200);
}
