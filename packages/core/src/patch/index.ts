export { applyPacked, applyStrictly, type Unpacking } from "./apply/apply.js";
export { applyDiff, applyDiffInTurns } from "./apply/apply-diff.js";
export { carryEndings } from "./compare/carry-endings.js";
export {
  describeChange,
  describeShown,
  describeShownInTurns,
  describeSteps,
  type ShownChange,
} from "./compare/change.js";
export { diffLines, diffSteps, diffTexts } from "./compare/line-diff.js";
export { describeMendedContext, describeOtherFile } from "./explain/report.js";
export { finish, type Steps } from "./model/steps.js";
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
export { inFence, omissionIn } from "./read/open-hunk.js";
export { isExecutable, type PackedDiff, readPacked } from "./read/sections.js";
export { type FileDiff, type FileDiffs, splitByFile, splitByFileInTurns } from "./read/split-files.js";
export {
  type EditedText,
  type EditMisfit,
  type EditStep,
  type ExactEdit,
  type InexactUse,
  replaceExactly,
  replaceSteps,
  type WrongCount,
} from "./replace/replace-exactly.js";
export { changedLines, differenceOf, spliceSteps, type TextSplice } from "./replace/splice.js";
export { endingAt, inEndingsAt, withEndingsOf } from "./replace/text-places.js";
export { type Heading, nestsAtOnce } from "./section/outline.js";
export {
  answerSection,
  type SectionAnswer,
  type SectionJob,
  type SectionMisfit,
  type SectionOutcome,
  sectionText,
  updateSection,
} from "./section/section.js";
