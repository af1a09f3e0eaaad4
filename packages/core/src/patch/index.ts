export { applyStrictly } from "./apply/apply.js";
export { applyDiff } from "./apply/apply-diff.js";
export { addedLines, carryEndings } from "./compare/carry-endings.js";
export {
  changedRanges,
  type DescribeOptions,
  describeChange,
  describeShown,
  type ShownChange,
} from "./compare/change.js";
export { diffLines, diffTexts } from "./compare/line-diff.js";
export { describeMendedContext } from "./explain/mended.js";
export type {
  LandedHunk,
  LineChange,
  LineRange,
  PatchOutcome,
  PatchRefusal,
  PatchRefusalCode,
  PatchRequest,
  PatchSuccess,
  Repair,
  RepairKind,
  StrictApplier,
} from "./model/types.js";
export { isPlaceholder } from "./read/placeholder.js";
export { type FileDiff, type FileDiffs, splitByFile } from "./read/split-files.js";
