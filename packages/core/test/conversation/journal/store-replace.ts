import { expect, it } from "vitest";
import type { OpenSession, SessionStore, TimedEvent } from "../../../src/conversation/values/index.js";
import { isRefusal } from "../../../src/files/values/index.js";
import { codeOf, must } from "../support.js";
import { message, renamed, started } from "./store-events.js";

interface Ground {
  store(): SessionStore;
  trial(): { breakGround(): Promise<void> | void; mendGround(): Promise<void> | void };
  reopen(): Promise<SessionStore>;
}

/** What a repair asks of every store. */
export function describeReplace({ store, trial, reopen }: Ground): void {
  const begun = async () => {
    const session = must(await store().create("s-1", [started("s-1")]));
    session.append(message("m-1", "s-1", "one"));
    must(await session.flush());
    return session;
  };
  const eventsOf = ({ records }: OpenSession) => records.map(({ ts, event }): TimedEvent => ({ ts, event }));

  it("takes other events in the place of all it has, keeps what it had, and is then only to be closed", async () => {
    const session = await begun();
    const events = [started("s-1"), message("m-1", "s-1", "other")];
    const replaced = await session.replace?.(events);
    if (replaced === undefined || isRefusal(replaced)) throw new Error("it was not replaced");
    expect(replaced.backup).not.toBe("");
    session.append(renamed("never"));
    expect(codeOf(await session.flush())).toBe("read_only");
    await session.close();
    const read = must(await (await reopen()).open("s-1", "write"));
    expect(eventsOf(read)).toEqual(events);
    read.append(renamed("goes on"));
    expect(await read.flush()).toEqual({ kind: "acknowledged", seq: 3 });
    await read.close();
  });

  it("is as it was where other events cannot take the place of what it has", async () => {
    const session = await begun();
    await trial().breakGround();
    const refused = await session.replace?.([started("s-1"), message("m-1", "s-1", "other")]);
    expect(refused?.kind).toBe("refusal");
    await trial().mendGround();
    await session.close();
    const read = must(await (await reopen()).open("s-1", "write"));
    expect(eventsOf(read)).toEqual([started("s-1"), message("m-1", "s-1", "one")]);
    expect(read.problems).toEqual([]);
    await read.close();
  });
}
