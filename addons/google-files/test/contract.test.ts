import { expect, it } from "vitest";
import type { Addons } from "../../../packages/cli/src/addons.js";
import * as addon from "../src/index.js";

/** Compiles only while the add-on is what the command asks of it. */
const asked: Addons["google-files"] = addon;

it("is what the command asks of it", () => {
  expect(asked.openGoogleFiles).toBeTypeOf("function");
});
