import { type ScriptedAnswer, scriptedModel } from "@holdfast/agent";
import type { ModelPort } from "@holdfast/core/context";

/** The scripted model, which is handed its answers turn by turn, and remembers what it was sent. */
export class TourModel {
  #script: ModelPort = scriptedModel([], names);
  #sent = "";

  readonly port: ModelPort = {
    target: this.#script.target,
    ask: (step, signal) => {
      this.#sent = JSON.stringify(step.contents);
      return this.#script.ask(step, signal);
    },
  };

  /** What it will answer from now on. */
  play(answers: readonly ScriptedAnswer[]): void {
    this.#script = scriptedModel(answers, names);
  }

  /** The conversation as the last request put it. */
  get sent(): string {
    return this.#sent;
  }
}

const names = { provider: "scripted", model: "tour" } as const;
