import { expect, it } from "vitest";
import { type HostRule, matchesLines } from "../src/files/index.js";
import { ground, sha } from "./support.js";

it("a rule of the host keeps files away from reading, or from writing, whichever call asks, as it stands now", async () => {
  const on = await ground({
    "private/plan.txt": "plan\n",
    "locked/x.txt": "x\n",
    "open.txt": "plan\n",
  });
  const rule = (denies: HostRule["denies"], folder: string): HostRule => ({
    denies,
    shown: `rule ${folder}`,
    matches: matchesLines(`${on.root}/${folder}/**\n`),
  });
  let hostRules = [rule("reading", "private"), rule("writing", "locked")];
  const workspace = await on.again({ hostRules: () => hostRules });
  const away = { code: "ignored_path", message: expect.stringContaining("rule private") };
  const locked = { code: "protected_path", message: expect.stringContaining("rule locked") };
  expect(await workspace.read({ path: "private/plan.txt" })).toMatchObject(away);
  expect(await workspace.write({ path: "private/new.txt", content: "" })).toMatchObject(away);
  expect(await workspace.search({ pattern: "plan", all: true })).toMatchObject({
    matches: [{ path: "open.txt" }],
  });
  expect(await workspace.list({ path: "private", all: true })).not.toMatchObject({ entries: [{}] });
  expect(JSON.stringify(await workspace.list({ all: true }))).not.toContain("plan.txt");
  expect(await workspace.read({ path: "locked/x.txt" })).toMatchObject({ kind: "read" });
  expect(await workspace.write({ path: "locked/x.txt", content: "y\n" })).toMatchObject(locked);
  expect(await workspace.write({ path: "locked/new.txt", content: "" })).toMatchObject(locked);
  expect(
    await workspace.move({ path: "open.txt", to: "locked/open.txt", base: sha("plan\n") }),
  ).toMatchObject(locked);
  expect(await workspace.move({ path: "locked/x.txt", to: "x.txt", base: sha("x\n") })).toMatchObject(locked);
  expect((await workspace.move({ path: "locked", to: "other" })).success).toBe(false);
  expect((await workspace.delete({ path: "locked" })).success).toBe(false);
  expect(await workspace.makeFolder({ path: "locked/sub" })).toMatchObject(locked);
  hostRules = [];
  expect(await workspace.read({ path: "private/plan.txt" })).toMatchObject({ kind: "read" });
});
