import type { Refusal } from "@holdfast/core/files";
import type { Setting } from "./client-settings.js";

/** The text of a settings file with the settings in it; comments and all else stay as they are. */
export type ChangedSettings = { readonly kind: "changed"; readonly text: string } | Refusal;

/** Puts settings into a text of JSON with comments, or takes them out. The command has it. */
export type ChangeJson = (
  text: string,
  settings: readonly (Omit<Setting, "path" | "file"> & {
    /** A number is a place in a list. */
    readonly path: readonly (string | number)[];
    readonly merge?: (present: unknown) => unknown;
  })[],
) => ChangedSettings;
