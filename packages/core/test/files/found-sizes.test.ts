import { describe, expect, it } from "vitest";
import { type Target, Workspace } from "../../src/files/index.js";
import { isRefusal, refuse } from "../../src/files/values/index.js";
import { memoryWith } from "../support.js";

describe("the sizes of files that are found", () => {
  it("are looked at where they are asked for, of the found ones alone", async () => {
    const ports = memoryWith();
    for (let at = 0; at < 20; at++) ports.disk.poke(`in/${at}.${at < 2 ? "ts" : "js"}`, Buffer.from("12345"));
    const asked: (string | number | undefined)[] = [];
    const enter = ports.disk.enter.bind(ports.disk);
    ports.disk.enter = async (path, missing) => {
      const target = await enter(path, missing);
      if (isRefusal(target)) return target;
      return watched(target, asked);
    };
    const workspace = new Workspace(ports);
    const found = await workspace.find({ glob: "*.ts" });
    expect(found).toMatchObject({ files: [{ sizeBytes: 5 }, { sizeBytes: 5 }] });
    expect(new Set(asked)).toEqual(new Set(["none"]));
    await workspace.find({ glob: "*.ts", limit: 100_000 });
    expect(new Set(asked)).toEqual(new Set(["none", undefined]));
    asked.length = 0;
    await workspace.find({ glob: "*.ts", limit: 100_000, sized: false });
    expect(new Set(asked)).toEqual(new Set(["none"]));
  });

  it("are left out where they cannot be seen, and the files are not", async () => {
    const ports = memoryWith();
    ports.disk.poke("a.ts", Buffer.from("12345"));
    const enter = ports.disk.enter.bind(ports.disk);
    ports.disk.enter = async (path, missing) => {
      const target = await enter(path, missing);
      if (isRefusal(target)) return target;
      const entries: Target["entries"] = async () => ({
        kind: "listing",
        entries: [{ name: "a.ts", kind: "file", openable: true }],
        more: false,
      });
      return { ...target, entries, child: async () => refuse("permission_denied", "permission is denied") };
    };
    const found = await new Workspace(ports).find({ glob: "*.ts" });
    expect(found).toMatchObject({ files: [{ path: "a.ts" }] });
    expect(found).not.toMatchObject({ files: [{ sizeBytes: 5 }] });
  });

  function watched(target: Target, asked: (string | number | undefined)[]): Target {
    return {
      ...target,
      entries: (limit, sizes) => {
        asked.push(sizes);
        return target.entries(limit, sizes);
      },
      child: async (name) => {
        const child = await target.child(name);
        return isRefusal(child) ? child : watched(child, asked);
      },
    };
  }
});
