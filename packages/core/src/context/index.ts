export type { Content, Part } from "./content.js";
export { safeCuts } from "./cuts.js";
export { debugOutline, type OutlineOptions } from "./debug-outline.js";
export { debugYaml } from "./debug-yaml.js";
export { checkContents, type Invariant, type InvariantId, invariants, type Violation } from "./invariants.js";
export { isProvider, type Provider, providers } from "./providers.js";
export { ContextRenderer, type RendererOptions, renderContext } from "./render.js";
export type {
  Boundary,
  Dropped,
  Ignored,
  RenderReport,
  RenderStart,
  Repair,
} from "./report.js";
export type { Provenance, Rendering, RenderOptions, RenderRule } from "./types.js";
export type { ShownPlace, Visibility, VisibleState } from "./visibility.js";
