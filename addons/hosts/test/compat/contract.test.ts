import { describe, test } from "vitest";
import { contract, hold, ours } from "../../../../proof/compat/contract.mjs";

/** Needs a build. `npm run proof -- compat` holds the official server to the same in one run. */
describe("in the place of the filesystem server, holdfast", () => {
  test.each(contract)("$name", (promised) => hold(ours, promised));
});
