export { playTour } from "./play-tour.js";
export { tourSteps } from "./steps.js";
