export { fromBase64, toBase64 } from "./base64.js";
export { type Defined, defined } from "./defined.js";
export {
  clip,
  cutVisibly,
  escapeForDisplay,
  escapeForPeople,
  escapeInJson,
  escapeUnseen,
  hasUnseen,
  quoteForDisplay,
  shortHash,
  withoutInvisible,
} from "./display.js";
export {
  type CharsetCodec,
  type DecodedText,
  decodeBytes,
  encodeText,
  type NotText,
  normaliseName,
  type TextFormat,
  utf8,
} from "./encoding.js";
export { chooseSuffix, type FramedText, type FrameSuffix, frameText } from "./frame.js";
export {
  commonEnding,
  countLines,
  describeEndings,
  joinLines,
  type LineEnding,
  splitLines,
  type TextLines,
} from "./lines.js";
