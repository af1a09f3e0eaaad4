import type { Vocabulary } from "@holdfast/core/files/values";

/** How the command line calls what a refusal names: commands and flags. */
export const commandWords: Vocabulary = {
  read: "`holdfast read`",
  write: "`holdfast write`",
  edit: "`holdfast edit`",
  patch: "`holdfast patch`",
  append: "`holdfast append`",
  prepend: "`holdfast prepend`",
  insert: "`holdfast insert`",
  section: "`holdfast section`",
  log: "`holdfast log`",
  base: "--base SHA256",
  anyState: "--atomic",
  oldString: "--old",
  newString: "--new",
  replaceAll: "--all",
  expectedReplacements: "--count",
  window: "--offset and --limit",
  partOfLine: "--offset and --char-offset",
  encoding: "--encoding",
  create: "--create",
  changes: "`holdfast apply`",
  move: "`holdfast move`",
  moveTo: "TO",
  delete: "`holdfast delete`",
  inPlace: "--in-place auto",
  literal: "--literal",
  modes: "--modes or --no-modes",
  depth: "--depth",
  limit: "--limit",
  goOn: "--after",
  context: "--context",
  root: "--root",
  approval: "--allow-protected gives it for this one call",
};

/** The same of `holdfast apply`, whose bases name their files. */
export const applyWords: Vocabulary = { ...commandWords, base: "--base FILE=SHA256" };
