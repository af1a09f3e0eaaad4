export { applyStrictly } from "./apply.js";
export { applyDiff } from "./apply-diff.js";
export { addedLines, carryEndings } from "./carry-endings.js";
export { changedRanges, type DescribeOptions, describeChange, type LineRange } from "./change.js";
export { diffLines, diffTexts, type LineChange } from "./line-diff.js";
export { isPlaceholder } from "./placeholder.js";
export { type FileDiff, type FileDiffs, splitByFile } from "./split-files.js";
export type {
  LandedHunk,
  PatchOutcome,
  PatchRefusal,
  PatchRefusalCode,
  PatchRequest,
  PatchSuccess,
  Repair,
  RepairKind,
  StrictApplier,
} from "./types.js";
