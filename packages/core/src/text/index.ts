export {
  clip,
  escapeForDisplay,
  escapeForPeople,
  escapeUnseen,
  hasUnseen,
  quoteForDisplay,
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
