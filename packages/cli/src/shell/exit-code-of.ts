import {
  type AnyRefusalCode,
  concernOf,
  conversationCodes,
  type OutcomeCode,
  refusalCodes,
  successCodes,
} from "@holdfast/core/files/values";
import { exitCodes } from "./exit-codes.js";

/** The exit code of every outcome and of every refusal: it says what the code is about. */
export const exitCodeOf = Object.fromEntries(
  [...successCodes, ...refusalCodes, ...conversationCodes].map((code) => [code, exitCodes[concernOf(code)]]),
  // The cast: these three lists are all codes.
) as Readonly<Record<OutcomeCode | AnyRefusalCode, number>>;
