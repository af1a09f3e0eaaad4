import { readFileSync } from "node:fs";
import { describe, it } from "vitest";
import { check, type PatchCase } from "../check.js";

// Small cases that together notice each condition of `patch/locate`: `npm run proof -- places` flips them one by one.
const decisions: readonly PatchCase[] = JSON.parse(
  readFileSync(new URL("decisions.json", import.meta.url), "utf8"),
);

describe("a place is decided", () => {
  it.each(decisions)("$name", (decision) => {
    check(decision);
  });
});
