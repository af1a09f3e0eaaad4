import { applied } from "./applied.mjs";
import { channel } from "./channel.mjs";
import { context } from "./context.mjs";
import { cutOff } from "./cut-off.mjs";
import { depth } from "./depth.mjs";
import { dialects } from "./dialects.mjs";
import { distance } from "./distance.mjs";
import { doubtful } from "./doubtful.mjs";
import { endings } from "./endings.mjs";
import { entities } from "./entities.mjs";
import { equalHunks } from "./equal-hunks.mjs";
import { extras } from "./extras.mjs";
import { gitHeaders } from "./git-headers.mjs";
import { layout } from "./layout.mjs";
import { numbers } from "./numbers.mjs";
import { placing } from "./placing.mjs";
import { removals } from "./removals.mjs";
import { standing } from "./standing.mjs";
import { whitespace } from "./whitespace.mjs";
import { windows } from "./window.mjs";
import { witnesses } from "./witnesses.mjs";

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
  ...distance,
  ...witnesses,
  ...equalHunks,
  ...standing,
  ...entities,
  ...cutOff,
  ...depth,
  ...windows,
  ...gitHeaders,
  ...doubtful,
];
