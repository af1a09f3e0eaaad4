export { applyStrictly } from "./apply/apply.js";
export { applyDiff, applyDiffInTurns } from "./apply/apply-diff.js";
export { addedLines, carryEndings } from "./compare/carry-endings.js";
export {
  changedRanges,
  type DescribeOptions,
  describeChange,
  describeShown,
  type ShownChange,
} from "./compare/change.js";
export { diffLines, diffTexts } from "./compare/line-diff.js";
export { describeMendedContext, describeOtherFile } from "./explain/mended.js";
export { finish, mapInSteps, type Steps } from "./model/steps.js";
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
export { type FileDiff, type FileDiffs, splitByFile, splitByFileInTurns } from "./read/split-files.js";
export { omissionIn } from "./replace/omission.js";
export {
  type EditedText,
  type EditMisfit,
  type EditStep,
  type ExactEdit,
  type InexactUse,
  replaceExactly,
  replaceInSteps,
  type WrongCount,
} from "./replace/replace-exactly.js";
export { applySplices, differenceOf, type TextSplice } from "./replace/splice.js";
export { endingAt, inEndingsAt } from "./replace/text-places.js";
export type { Heading } from "./section/outline.js";
export { type SectionMisfit, type SectionOutcome, sectionText, updateSection } from "./section/section.js";
