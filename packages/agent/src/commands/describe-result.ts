import type { CommandResult } from "./command.js";

/** A result as text for a person; what needs no words is empty. */
export function describeResult(result: CommandResult): string {
  switch (result.kind) {
    case "told":
      return [result.message, ...(result.text === undefined || result.text === "" ? [] : [result.text])].join(
        "\n",
      );
    case "refused":
      return result.message;
    case "question":
      return [
        result.message,
        result.text,
        ...result.choices.map(({ says, line }) => `  ${line}\n    ${says}`),
      ].join("\n");
    case "prompt":
      return result.message ?? "";
    case "session":
    case "quit":
      return "";
    default:
      return result satisfies never;
  }
}
