import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openUploadFolder, type UploadFolder } from "../../../src/node/index.js";
import { freshFolder, must } from "../support.js";

const name = (digit: number) => String(digit).repeat(64);
const later = () => Date.now() + 60_000;

function newFolder() {
  const stateDir = join(freshFolder("holdfast-uploads-"), "state");
  const open = (account = "account"): UploadFolder => must(openUploadFolder(account, stateDir));
  return { stateDir, open, place: join(stateDir, "uploads", "account") };
}

describe("the folder of uploads", () => {
  it("gives back what another process has written, to the same account, until it is over", () => {
    const { open, place } = newFolder();
    const folder = open();
    expect(folder.read(name(1))).toBeUndefined();
    folder.write(name(1), { uri: "a" }, later());
    folder.write(name(1), { uri: "b" }, later());
    expect(open().read(name(1))).toEqual({ uri: "b" });
    expect(open("another").read(name(1))).toBeUndefined();
    const past = Date.now() / 1_000 - 1;
    utimesSync(join(place, name(1)), past, past);
    expect(open().read(name(1))).toBeUndefined();
    open().write(name(2), {}, later());
    expect(readdirSync(place)).toEqual([name(2)]);
    folder.remove(name(2));
    folder.remove(name(2));
    expect(folder.read(name(2))).toBeUndefined();
  });

  it("is for its owner alone, and each record is whole or not there", () => {
    const { open, place } = newFolder();
    open().write(name(1), { uri: "a" }, later());
    expect(statSync(place).mode & 0o777).toBe(0o700);
    expect(statSync(join(place, name(1))).mode & 0o777).toBe(0o600);
    expect(readdirSync(place)).toEqual([name(1)]);
    expect(readFileSync(join(place, name(1)), "utf8")).toBe('{"uri":"a"}');
    writeFileSync(join(place, name(2)), '{"uri":');
    utimesSync(join(place, name(2)), later() / 1_000, later() / 1_000);
    expect(open().read(name(2))).toBeUndefined();
  });

  it("makes no path of a name that is no hash", () => {
    const { stateDir, open } = newFolder();
    const folder = open();
    folder.write("../escaped", {}, later());
    mkdirSync(stateDir, { recursive: true });
    writeFileSync(join(stateDir, "kept"), '{"uri":"a"}');
    utimesSync(join(stateDir, "kept"), later() / 1_000, later() / 1_000);
    expect(folder.read("../../kept")).toBeUndefined();
    folder.remove("../../kept");
    expect(readdirSync(stateDir)).toEqual(["kept"]);
  });

  it("loses nothing where two write at the same time", () => {
    const { open } = newFolder();
    const both = [open(), open()];
    for (let digit = 0; digit < 10; digit += 1)
      for (const [at, folder] of both.entries())
        folder.write(name(digit).slice(1) + at, { digit, at }, later());
    for (let digit = 0; digit < 10; digit += 1)
      for (const at of [0, 1]) expect(open().read(name(digit).slice(1) + at)).toEqual({ digit, at });
  });

  it("lets one at a time upload the same bytes", async () => {
    const { open } = newFolder();
    const [one, other] = [open(), open()];
    const release = await one.claim(name(1));
    expect(await other.claim(name(1))).toBeUndefined();
    expect(await other.claim(name(2))).toBeDefined();
    await release?.();
    expect(await other.claim(name(1))).toBeDefined();
  });

  it("keeps nothing, and stops nobody, where the state folder takes nothing", async () => {
    const { stateDir, open } = newFolder();
    mkdirSync(stateDir, { recursive: true });
    // Also for root: a file lies where the folder would.
    writeFileSync(join(stateDir, "uploads"), "");
    writeFileSync(join(stateDir, "locks"), "");
    chmodSync(stateDir, 0o700);
    const folder = open();
    folder.write(name(1), {}, later());
    expect(folder.read(name(1))).toBeUndefined();
    expect(await folder.claim(name(1))).toBeDefined();
    expect(await folder.claim(name(1))).toBeDefined();
  });
});
