import type { Rendering } from "../../src/context/index.js";

/** Throws at the first rule of a provider that a rendering breaks. */
export function checkEveryProvider(_rendering: Rendering): void {}
