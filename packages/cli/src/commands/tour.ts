import type { Invocation } from "../shell/index.js";
import { playTour, tourSteps } from "../tour/index.js";

/** `holdfast tour`: the whole protocol on a temporary folder. */
export function tourCommand({ terminal }: Invocation): Promise<number> {
  return playTour(tourSteps(), terminal);
}
