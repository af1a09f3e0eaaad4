import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type ProviderServer, wires } from "../loopback/index.js";
import { type Played, play, type Session, thoughtsOf, treeOf } from "./on-wire.js";
import { sessions } from "./sessions.js";

const opened: Played[] = [];
afterEach(async () => {
  for (const { stage, server } of opened.splice(0)) {
    await stage.close();
    await server.close();
  }
});

const filesIn = (root: string) =>
  Object.fromEntries(readdirSync(root).map((name) => [name, readFileSync(join(root, name), "utf8")]));

describe.each(sessions)("$name", (session) => {
  it("ends in the same tree and the same bytes over all four APIs, which refuse nothing of it", async () => {
    opened.push(...(await Promise.all(wires.map((wire) => play(wire, session)))));
    const trees = opened.map(({ stage }) => treeOf(stage.manager));
    const thoughts = session.script.flatMap(({ thought, fault }) =>
      thought === undefined || (fault !== undefined && fault.kind !== "slow") ? [] : [thought],
    );
    for (const [at, { server, stage, ends }] of opened.entries()) {
      const { name, thinks } = server.wire;
      expect(server.refused, name).toEqual([]);
      const reasons = ends.map(({ reason, message }) => message ?? reason);
      expect(reasons, name).toEqual(session.turns.map(() => "complete"));
      expect(server.left, name).toBe(0);
      expect(filesIn(stage.root), name).toEqual(session.after);
      expect(trees[at], name).toEqual(trees[0]);
      expect(thoughtsOf(stage.manager), name).toEqual(thinks ? thoughts : []);
      if (!leavesItsPath(session)) expect(notGivenBack(server), name).toEqual([]);
    }
  });
});

/** Of what the provider wants back to the byte: what a request does not hold. */
function notGivenBack({ requests }: ProviderServer): readonly string[] {
  return requests.flatMap(({ text, wanted }) =>
    wanted.filter((signature) => !text.includes(JSON.stringify(signature))),
  );
}

/** Whether answers are left behind on another branch, with what they were signed with. */
function leavesItsPath({ script }: Session): boolean {
  return script.some(({ calls = [] }) =>
    calls.some(({ name }) => name === "task_complete" || name === "rewind"),
  );
}
