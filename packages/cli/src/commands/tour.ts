import type { Invocation } from "../shell/invocation.js";
import { playTour } from "../tour/play-tour.js";
import { tourSteps } from "../tour/steps.js";

/** `holdfast tour`: the whole protocol on a temporary folder. */
export function tourCommand({ terminal }: Invocation): Promise<number> {
  return playTour(tourSteps(), terminal);
}
