import { applied } from "./applied.mjs";
import { channel } from "./channel.mjs";
import { context } from "./context.mjs";
import { dialects } from "./dialects.mjs";
import { endings } from "./endings.mjs";
import { extras } from "./extras.mjs";
import { layout } from "./layout.mjs";
import { numbers } from "./numbers.mjs";
import { placing } from "./placing.mjs";
import { removals } from "./removals.mjs";
import { whitespace } from "./whitespace.mjs";

/** @type {readonly import("../contract.mjs").ErrorClass[]} */
export const classes = [
  ...numbers,
  ...layout,
  ...whitespace,
  ...context,
  ...removals,
  ...extras,
  ...endings,
  ...channel,
  ...placing,
  ...applied,
  ...dialects,
];
