export { fromBase64, isBase64, toBase64 } from "./base64.js";
export { type AlikeBytes, bytesAlike } from "./bytes-alike.js";
export { cappedLines } from "./capped.js";
export { causeOf } from "./cause.js";
export { countCodePoints, unitOfCodePoint } from "./code-points.js";
export { counted } from "./counted.js";
export { decodeBeside } from "./decode-beside.js";
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
  firstDifference,
  firstDifferenceIn,
  formChange,
  frameText,
  hasUnseen,
  looksOf,
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
export {
  countIn,
  type Defined,
  defined,
  type Infer,
  isObject,
  jsonOf,
  listIn,
  recordIn,
  type Schema,
  shapes,
  textIn,
  writtenJson,
} from "./json.js";
export {
  type Advancing,
  countEndings,
  countLines,
  eachLine,
  endsLine,
  finish,
  joinLines,
  type LineEnding,
  LineFinder,
  lineStarts,
  mostOften,
  type Pace,
  type Progress,
  type Steps,
  splitLines,
  type TextLines,
  takeAtPace,
} from "./lines.js";
export { repairedJson } from "./repaired-json.js";
export { sameBytes } from "./same-bytes.js";
export { sha256Of } from "./sha256.js";
