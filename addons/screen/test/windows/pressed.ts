import type { Line } from "../../../../packages/agent/src/ui/lines/spans.js";
import type { Modal, ModalStep } from "../../src/screen/modal.js";

const size = { columns: 90, rows: 20 };
export const text = (lines: readonly Line[]) =>
  lines.map((line) =>
    line
      .map((one) => one.text)
      .join("")
      .trimEnd(),
  );

/** Presses keys one after another; what a wish gives is shown before the next. */
export async function press(modal: Modal, ...keys: readonly string[]): Promise<ModalStep> {
  let step: ModalStep = { kind: "shown", modal };
  for (const key of keys) {
    if (step.kind === "closed") throw new Error(`closed before ${key}`);
    const typed = key.length === 1 || key.startsWith("=");
    step = step.modal.update(
      typed ? { kind: "text", text: key.replace(/^=/, "") } : { kind: "chord", chord: key },
      size,
    );
    if (step.kind === "shown" && step.wish !== undefined) step = { kind: "shown", modal: await step.wish() };
  }
  return step;
}

export async function shown(modal: Modal, ...keys: readonly string[]): Promise<readonly string[]> {
  const step = await press(modal, ...keys);
  if (step.kind === "closed") throw new Error("closed");
  return text(step.modal.view(size));
}
