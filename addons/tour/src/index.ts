/** @holdfast/tour: `holdfast tour`, the whole protocol on a temporary folder. */
export { playTour } from "./play-tour.js";
export type { Step } from "./run-steps.js";
export type { TourRun, TourShell } from "./shell.js";
