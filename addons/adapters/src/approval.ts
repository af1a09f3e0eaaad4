// What a person is asked, for frameworks that ask between two runs of their own.
import type { AgreedFile, Preview } from "@holdfast/core/files";
import { describeChange } from "@holdfast/core/patch";
import { cutVisibly } from "@holdfast/core/text";
import { type Approve, answerBudgetChars } from "@holdfast/core/tools";

/** What a person is shown of a change before it is made. */
export interface ApprovalQuestion {
  /** What the model would be told afterwards. */
  readonly message: string;
  /** A unified diff of each file, to be looked at; cut, and saying so, where it is long. */
  readonly diff: string;
}

/** A preview as a question. */
export function questionFrom({ message, files }: Preview): ApprovalQuestion {
  const diffs = files.map(({ path, before, after }) =>
    describeChange(before ?? "", after ?? "", { name: path, maxLines: mostLines }),
  );
  return { message, diff: cutVisibly(diffs.filter((diff) => diff !== "").join("\n"), answerBudgetChars) };
}

const mostLines = 1_000;

/**
 * What each call of a conversation was looked at for, until it is carried out. A call about which nobody was
 * asked, since it would have been refused, must not change anything by the time it runs; nor may a yes to one
 * change carry another.
 */
export class PreviewedCalls {
  private readonly agreed = new Map<string, string>();

  /** @param preview what the call came to; undefined where it came to nothing that a person had to be asked. */
  remember(callId: string, preview: Preview | undefined): void {
    this.agreed.set(callId, keyOf(preview));
    // Calls that were denied are never carried out.
    if (this.agreed.size > mostCalls) this.agreed.delete(this.agreed.keys().next().value ?? "");
  }

  /** How the call is to be carried out; undefined where it was looked at by another process, or never. */
  take(callId: string): Approve | undefined {
    const agreed = this.agreed.get(callId);
    if (agreed === undefined) return undefined;
    this.agreed.delete(callId);
    return async ({ preview }) => (keyOf(preview) === agreed ? { kind: "yes" } : { kind: "no", message });
  }
}

const message = "The files have changed since a person was asked, and so would what this call does.";
const mostCalls = 200;

function keyOf(preview: Preview | undefined): string {
  return JSON.stringify(preview?.files.map(({ agreed }): AgreedFile => agreed) ?? []);
}
