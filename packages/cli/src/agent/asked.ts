import type { Allowance, Asked, PersonsAnswer } from "@holdfast/agent";
import { consentLine } from "@holdfast/core/conversation";
import { describeChange } from "@holdfast/core/patch";
import { clip, escapeForDisplay } from "@holdfast/core/text";
import { describeRepair } from "@holdfast/core/tools";
import { escapeName, escapeText } from "../shell/terminal.js";

/** What a person typed as the answer. Whatever is none of the words offered is a no, with it as a word for the model. */
export function answerOf(said: string, asked: Asked): PersonsAnswer {
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
      const reach = reachOf(asked);
      // What cannot be allowed for longer was not offered: that is no yes.
      return reach === undefined ? notOffered : { kind: "always", allowance: reach.allowance };
    }
    default:
      return { kind: "no", message: words };
  }
}

const notOffered: PersonsAnswer = { kind: "no", message: "This is asked about each time." };

/** The words that can be typed, with how far "always" reaches. */
export function choicesOf(asked: Asked): string {
  const reach = reachOf(asked);
  const always = reach === undefined ? "" : `, [a]lways (${reach.words}, in this session)`;
  return `Do it? [y]es, [n]o${always}: `;
}

/** A question about a change as a person reads it. */
export function wordsOfAsked(asked: Asked): string {
  switch (asked.kind) {
    case "change":
      return [
        `${asked.tool} asks; nothing is done yet. It would say: ${asked.question.preview.message}`,
        ...asked.question.preview.files.flatMap((file) => [diffOf(file), ...repairsOf(file)]),
      ].join("\n");
    case "run":
      return callWords(asked);
    case "restore":
      return [restoreHead(asked), ...asked.files.map((file) => consentLine(file, asked.consent))].join("\n");
    default:
      return asked satisfies never;
  }
}

type RunAsked = Extract<Asked, { kind: "run" }>;

/** How far "always" reaches; undefined where only this call can be allowed. */
function reachOf(asked: Asked): { readonly allowance: Allowance; readonly words: string } | undefined {
  switch (asked.kind) {
    case "change": {
      const [file, ...others] = asked.question.preview.files;
      const path = file?.names.real[0];
      if (file === undefined || path === undefined || others.length > 0) return undefined;
      return {
        allowance: { kind: "file", path },
        words: clip(nameOf(file), mostNameChars),
      };
    }
    case "run":
      return reachOfRun(asked);
    case "restore":
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

function reachOfRun({ tool, request: { args } }: RunAsked) {
  const { command, directory } = args;
  if (tool !== shellTool || typeof command !== "string")
    return { allowance: { kind: "tool", tool }, words: `every call of ${escapeName(tool)}` } as const;
  const place = typeof directory === "string" ? { directory } : {};
  const allowance = { kind: "command", tool, command, ...place } as const;
  return { allowance, words: "this very command" } as const;
}

/** Its words are shown as they will be run; those of another tool mean whatever that tool makes of them. */
const shellTool = "run_shell_command";

/** The whole call: a summary is written for models, and what is not shown cannot be agreed to. */
function callWords({ tool, request: { args } }: RunAsked): string {
  const { command, ...others } = args;
  const isShell = tool === shellTool && typeof command === "string";
  const begin = isShell ? `${tool}: ${commandLines(command)}` : tool;
  return [begin, ...Object.entries(isShell ? others : args).map(argumentLine)].join("\n");
}

/** Further lines of a command are marked, so that none is taken for a line of ours. */
function commandLines(command: string): string {
  return within(escapeText(command)).replaceAll("\n", "\n  | ");
}

function argumentLine([name, value]: readonly [string, unknown]): string {
  return `  ${escapeName(name)}: ${within(escapeName(JSON.stringify(value) ?? "undefined"))}`;
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

type ChangedFile = Extract<Asked, { kind: "change" }>["question"]["preview"]["files"][number];

/** What was put right in the model's call, so that it is the diff above. */
function repairsOf({ change }: ChangedFile): readonly string[] {
  return change.repairs.map((repair) => `Repaired: ${describeRepair(repair)}.`);
}

/** A link is shown with where it leads: a yes is for what was shown. */
function nameOf({ path, leadsTo }: ChangedFile): string {
  const leads = leadsTo === undefined ? "" : ` -> ${escapeName(leadsTo)}`;
  return `${escapeName(path)}${leads}`;
}

function diffOf(file: ChangedFile): string {
  const { before, after } = file;
  return `--- ${nameOf(file)}\n${describeChange(before ?? "", after ?? "", { maxLines: mostLines })}`;
}
