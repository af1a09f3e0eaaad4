export type { Content, Part } from "./content.js";
export { debugOutline, type OutlineOptions } from "./debug-outline.js";
export { debugYaml } from "./debug-yaml.js";
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
