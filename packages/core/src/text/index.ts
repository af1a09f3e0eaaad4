export { fromBase64, isBase64, toBase64 } from "./base64.js";
export { type AlikeBytes, bytesAlikeInSteps } from "./bytes-alike.js";
export { cappedLines } from "./capped.js";
export { causeOf } from "./cause.js";
export { countCodePoints, unitOfCodePoint } from "./code-points.js";
export { decodeBesideInSteps } from "./decode-beside.js";
export { type Defined, defined } from "./defined.js";
export {
  chooseSuffix,
  clip,
  cutVisibly,
  escapeForDisplay,
  escapeForPeople,
  escapeInJson,
  escapeInParts,
  escapeText,
  escapeUnseen,
  type FrameSuffix,
  frameText,
  hasUnseen,
  nameWithLink,
  quoteForDisplay,
  shortHash,
  showText,
  showUnsafe,
  withoutInvisible,
} from "./display.js";
export {
  beginsAsPdf,
  type CharsetCodec,
  type Converter,
  type DecodedText,
  decodeBytes,
  decodeInSteps,
  encodeInSteps,
  type NotText,
  normaliseName,
  type TextFormat,
  utf8,
} from "./encoding.js";
export { isObject, jsonOf } from "./json.js";
export {
  countEndingsInSteps,
  countLines,
  countLinesInSteps,
  eachLineInSteps,
  endsLine,
  joinLines,
  type LineEnding,
  LineFinder,
  lineStarts,
  mostOften,
  splitLines,
  splitLinesInSteps,
  type TextLines,
} from "./lines.js";
export { firstDifference, firstDifferenceIn, formChange, looksOf } from "./look-alike.js";
export { isSameInSteps } from "./same-bytes.js";
export { sha256Of } from "./sha256.js";
export { type Advancing, finish, type Pace, type Progress, type Steps, takeAtPace } from "./steps.js";
