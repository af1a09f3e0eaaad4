import type { Asked, PersonsAnswer } from "@holdfast/agent";
import { consentLine, describeChange, describeRepair, escapeForDisplay } from "@holdfast/core";

/** What a person typed as the answer: yes, always, or no with a word for the model. */
export function answerOf(said: string, asked: Asked): PersonsAnswer {
  const answer = said.trim().toLowerCase();
  if (answer.startsWith("y")) return { kind: "yes" };
  if (!answer.startsWith("a")) return { kind: "no", ...(answer.length > 3 ? { message: said } : {}) };
  const path = asked.kind === "change" ? asked.question.preview.files[0]?.names.real[0] : undefined;
  return path === undefined
    ? { kind: "always", allowance: { kind: "tool", tool: asked.tool } }
    : { kind: "always", allowance: { kind: "file", path } };
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
      return `${asked.tool}: ${commandOf(asked.request) ?? asked.request.summary}`;
    case "restore":
      return [restoreHead(asked), ...asked.files.map((file) => consentLine(file, asked.consent))].join("\n");
    default:
      return asked satisfies never;
  }
}

function restoreHead({ tool, consent }: Extract<Asked, { kind: "restore" }>): string {
  const head = `${tool} asks; nothing is done yet. Files go back:`;
  if (consent.length === 0) return head;
  return `${head}\nThe model says that you agreed to lose what others left in ${consent.map(escapeForDisplay).join(", ")}.`;
}

/** As it will be run: a summary is written for models. */
function commandOf({ args }: Extract<Asked, { kind: "run" }>["request"]): string | undefined {
  return typeof args.command === "string" ? args.command : undefined;
}

const mostLines = 200;

type ChangedFile = Extract<Asked, { kind: "change" }>["question"]["preview"]["files"][number];

/** What was put right in the model's call, so that it is the diff above. */
function repairsOf({ change }: ChangedFile): readonly string[] {
  return change.repairs.map((repair) => `Repaired: ${describeRepair(repair)}.`);
}

function diffOf(file: ChangedFile): string {
  const { path, before, after } = file;
  return `--- ${path}\n${describeChange(before ?? "", after ?? "", { maxLines: mostLines })}`;
}
