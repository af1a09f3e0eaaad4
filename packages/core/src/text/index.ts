export { fromBase64, isBase64, toBase64 } from "./base64.js";
export { type AlikeBytes, bytesAlike } from "./bytes-alike.js";
export { cappedLines } from "./capped.js";
export { causeOf } from "./cause.js";
export { countCodePoints, unitOfCodePoint } from "./code-points.js";
export { decodeBeside } from "./decode-beside.js";
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
  fileAttributes,
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
  type DecodedText,
  decodeBytes,
  encodeText,
  type NotText,
  normaliseName,
  type TextFormat,
  utf8,
} from "./encoding.js";
export { countIn, isObject, jsonOf, listIn, recordIn, textIn, writtenJson } from "./json.js";
export {
  countEndings,
  countLines,
  eachLine,
  endsLine,
  joinLines,
  type LineEnding,
  LineFinder,
  lineStarts,
  mostOften,
  splitLines,
  type TextLines,
} from "./lines.js";
export { firstDifference, firstDifferenceIn, formChange, looksOf } from "./look-alike.js";
export { repairedJson } from "./repaired-json.js";
export { sameBytes } from "./same-bytes.js";
export { sha256Of } from "./sha256.js";
export { type Infer, type Schema, shapes } from "./shape.js";
export { type Advancing, finish, type Pace, type Progress, type Steps, takeAtPace } from "./steps.js";
