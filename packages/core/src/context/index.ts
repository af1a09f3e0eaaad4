export type { Content, Part } from "./content.js";
