import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PersistentMap } from "../../../src/files/lines/persistent-map.js";

const key = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom("Aa", "BB", "AaAa", "BBBB", "AaBB"));
const step = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), key, value: fc.integer() }),
  fc.record({ kind: fc.constant("delete" as const), key }),
);

describe("a persistent map", () => {
  it("holds what a Map holds after the same steps, and every version stays as it was", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const versions: {
          readonly map: PersistentMap<number>;
          readonly model: ReadonlyMap<string, number>;
        }[] = [];
        let map = PersistentMap.empty<number>();
        const model = new Map<string, number>();
        for (const one of steps) {
          if (one.kind === "set") {
            map = map.set(one.key, one.value);
            model.set(one.key, one.value);
          } else {
            map = map.delete(one.key);
            model.delete(one.key);
          }
          versions.push({ map, model: new Map(model) });
        }
        for (const version of versions) {
          expect(version.map.size).toBe(version.model.size);
          expect(new Map(version.map)).toEqual(version.model);
          for (const [known, value] of version.model) expect(version.map.get(known)).toBe(value);
        }
      }),
    );
  });

  it("is built in place under one token, and the map that was begun with stays as it was", () => {
    const begun = PersistentMap.empty<number>().set("a", 1);
    const edit = { edit: true } as const;
    let map = begun;
    for (let at = 0; at < 5_000; at += 1) map = map.set(`key ${at}`, at, edit);
    expect([begun.size, map.size, map.get("a"), map.get("key 4999")]).toEqual([1, 5_001, 1, 4_999]);
    expect(begun.has("key 0")).toBe(false);
    expect(new Set(map.keys()).size).toBe(5_001);
  });
});
