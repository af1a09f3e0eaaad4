import type { ModelPort } from "@holdfast/core/context";
import type { TurnUsage } from "@holdfast/core/conversation/values";

/** What was spent up to now. */
interface Spent {
  /** US dollars, by the prices of the models that have answered. */
  readonly costUsd: number;
  /** Answers of models whose prices are not known: they are not in `costUsd`. */
  readonly unpriced: number;
}

/** Counts the money of one run: its turns, its sub-agents, its summaries. Each answer is added once. */
export class CostMeter {
  #spent: Spent = { costUsd: 0, unpriced: 0 };

  /** @param whole counts the same answers, too: of a run of which this is a part. */
  constructor(private readonly whole?: CostMeter) {}

  get spent(): Spent {
    return this.#spent;
  }

  /** Adds an answer, by the prices of the model that gave it. */
  add(model: Pick<ModelPort, "costOf">, usage: TurnUsage = {}): void {
    this.whole?.add(model, usage);
    const { costUsd, unpriced } = this.#spent;
    const cost = model.costOf?.(usage);
    this.#spent =
      cost === undefined ? { costUsd, unpriced: unpriced + 1 } : { costUsd: costUsd + cost, unpriced };
  }
}
