import { findSurvivors } from "./places/flips.mjs";
import { kept } from "./places/kept.mjs";

/** Each condition of `patch/locate` is flipped: a stored case notices it, or the condition is named with its reason. @type {import("./contract.mjs").Part} */
export const part = {
  name: "places",
  title: "Conditions of places",
  run: async ({ print }) => {
    const { count, broken, survivors } = await findSurvivors();
    for (const name of broken) print(`does not hold: ${name}`);
    /** @param {import("./places/instrument.mjs").Flip} flip */
    const keptFor = ({ file, text, how }) =>
      kept.find((one) => one.file === file && one.text === text && (one.how ?? how) === how);
    /** @param {import("./places/instrument.mjs").Flip} flip */
    const reasonOf = (flip) => keptFor(flip)?.why;
    const needless = kept.filter((one) => !survivors.some((flip) => keptFor(flip) === one));
    for (const { file, text } of needless) print(`named without need: ${file}: ${text}`);
    const unnamed = survivors.filter((flip) => reasonOf(flip) === undefined);
    for (const { file, line, how, text } of unnamed)
      print(`no case notices: ${file}:${line} ${how}: ${text}`);
    const reasons = [...new Set(kept.map(({ why }) => why))].map(
      (why) => `${why} ${survivors.filter((flip) => reasonOf(flip) === why).length}`,
    );
    return [
      {
        figure: "G1",
        what: "each condition of `patch/locate` held true, held false, or turned where both sides are equal",
        tried: count,
        bad: {
          "cases that do not hold": broken.length,
          "that no case notices": unnamed.length,
          "named without need": needless.length,
        },
        seen: `${survivors.length} come to the same: ${reasons.join(", ")}`,
      },
    ];
  },
};
