import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { type GoogleFiles, googleFilesClient } from "@holdfast/agent";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FileApi } from "../../../packages/agent/test/loopback/index.js";
import {
  type GoogleFilesOptions,
  openGoogleFiles,
  type UploadRecord,
  type UploadStore,
} from "../src/google-files.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const uri = (at: number) => `https://generativelanguage.example/v1beta/files/f${at}`;

let api = new FileApi();
let url = "";
let now = Date.parse("2026-11-23T00:00:00Z");
const opened: GoogleFiles[] = [];

beforeEach(async () => {
  api = new FileApi();
  url = await api.open();
  now = Date.parse("2026-11-23T00:00:00Z");
});

afterEach(async () => {
  for (const files of opened.splice(0)) await files.close();
  api.close();
  expect(api.refused).toEqual([]);
});

/** Records that several registries share, as processes share a folder. */
class Shared implements UploadStore {
  readonly records = new Map<string, UploadRecord>();
  readonly claimed = new Set<string>();
  read = (name: string): unknown => JSON.parse(JSON.stringify(this.records.get(name) ?? null));
  write = (name: string, record: UploadRecord) => void this.records.set(name, record);
  remove = (name: string) => void this.records.delete(name);
  claim = async (name: string) => {
    if (this.claimed.has(name)) return undefined;
    this.claimed.add(name);
    return async () => void this.claimed.delete(name);
  };
}

function registry(options: Partial<GoogleFilesOptions> = {}): GoogleFiles {
  const files = openGoogleFiles({
    client: (signal) => googleFilesClient({ key: api.key, baseUrl: url }, signal),
    now: () => now,
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
    pollMs: 1,
    polls: 5,
    ...options,
  });
  opened.push(files);
  return files;
}

const offered = (text: string) => ({
  sha256: sha256(text),
  mimeType: "text/plain",
  bytes: async () => new TextEncoder().encode(text),
});

/** The texts that arrived. */
const arrived = () => api.files.map(({ bytes }) => bytes.toString());

describe("files at the File API", () => {
  it("uploads the same bytes once, and never waits", async () => {
    let letGo = () => {};
    api.hang = new Promise((resolve) => {
      letGo = resolve;
    });
    const files = registry();
    expect(files.offer(offered("one")).state).toBe("PENDING");
    expect(files.offer(offered("one")).state).toBe("PENDING");
    letGo();
    await files.idle();
    expect(files.offer(offered("one"))).toEqual({
      uri: uri(0),
      mimeType: "text/plain",
      state: "ACTIVE",
      expiresAt: Date.parse("2030-01-01T00:00:00Z"),
    });
    await files.idle();
    expect(api.files).toMatchObject([{ mimeType: "text/plain" }]);
    expect(arrived()).toEqual(["one"]);
  });

  it("sends more than 8 MiB in pieces", async () => {
    const text = "0123456789abcdef".repeat((9 << 20) / 16);
    const files = registry();
    files.offer(offered(text));
    await files.idle();
    expect(files.find(sha256(text))?.state).toBe("ACTIVE");
    expect(sha256(arrived()[0] ?? "")).toBe(sha256(text));
  });

  it("asks until a file is processed, and gives up after so many times", async () => {
    api.processing = 3;
    const files = registry();
    files.offer(offered("slow"));
    await files.idle();
    expect(files.find(sha256("slow"))?.state).toBe("ACTIVE");
    expect(api.polls).toHaveLength(3);
    api.processing = 100;
    files.offer(offered("never"));
    await files.idle();
    expect(files.find(sha256("never"))?.state).toBe("FAILED");
    expect(api.polls).toHaveLength(8);
  });

  it("says FAILED where the API does, where it refuses, where bytes are gone, and never asks twice for it", async () => {
    const files = registry();
    api.ends = "FAILED";
    files.offer(offered("bad"));
    await files.idle();
    expect(files.offer(offered("bad")).state).toBe("FAILED");
    api.status = 403;
    files.offer(offered("refused"));
    await files.idle();
    expect(files.find(sha256("refused"))?.state).toBe("FAILED");
    files.offer({ ...offered("gone"), bytes: async () => undefined });
    await files.idle();
    expect(files.find(sha256("gone"))?.state).toBe("FAILED");
    expect(arrived()).toEqual(["bad"]);
  });

  it("does not name an address under which other bytes are", async () => {
    api.otherBytes = true;
    const files = registry();
    files.offer(offered("meant"));
    await files.idle();
    expect(files.find(sha256("meant"))?.state).toBe("FAILED");
  });

  it("uploads once what is over when it comes, as where a clock is wrong", async () => {
    api.expires = new Date(now + 5 * 60_000).toISOString();
    const files = registry();
    files.offer(offered("late"));
    await files.idle();
    expect(files.offer(offered("late")).state).toBe("FAILED");
    await files.idle();
    expect(arrived()).toEqual(["late"]);
  });

  it("uploads again ten minutes before the end, not earlier", async () => {
    api.expires = new Date(now + 48 * 3_600_000).toISOString();
    const files = registry();
    files.offer(offered("kept"));
    await files.idle();
    now += 48 * 3_600_000 - 10 * 60_000 - 1;
    expect(files.offer(offered("kept")).state).toBe("ACTIVE");
    now += 1;
    expect(files.find(sha256("kept"))).toBeUndefined();
    expect(files.offer(offered("kept")).state).toBe("PENDING");
    await files.idle();
    expect(api.files).toHaveLength(2);
  });

  it("uploads once more after a refusal of its address, and the second time gives up", async () => {
    const store = new Shared();
    const files = registry({ store });
    files.offer(offered("mine"));
    await files.idle();
    files.refused(uri(0), offered("mine"));
    files.refused(uri(0), offered("mine"));
    await files.idle();
    expect(files.find(sha256("mine"))).toMatchObject({ uri: uri(1), state: "ACTIVE" });
    files.refused(uri(1), offered("mine"));
    await files.idle();
    expect(files.find(sha256("mine"))?.state).toBe("FAILED");
    const later = registry({ store });
    expect(later.offer(offered("mine")).state).toBe("FAILED");
    expect(api.files).toHaveLength(2);
  });

  it("has at most two uploads under way, and ends them when it is closed: no connection stays", async () => {
    api.hang = new Promise(() => {});
    let asked = 0;
    const files = registry();
    for (const text of ["a", "b", "c"]) {
      const file = offered(text);
      files.offer({
        ...file,
        bytes: () => {
          asked += 1;
          return file.bytes();
        },
      });
    }
    while (api.begun < 2) await wait(1);
    expect(asked).toBe(2);
    await files.close();
    expect(files.find(sha256("a"))?.state).toBe("FAILED");
    while (api.dropped < 2) await wait(1);
    expect(api.begun).toBe(2);
  });

  it("does not let the SDK send a piece again that the server said nothing of", async () => {
    api.saysStatus = false;
    const files = registry();
    files.offer(offered("odd"));
    await files.idle();
    expect(files.find(sha256("odd"))?.state).toBe("FAILED");
    expect(arrived()).toEqual(["odd"]);
  });
});

describe("files at the File API, over processes", () => {
  it("knows what an earlier process uploaded, and nothing that is damaged or of other bytes", async () => {
    const store = new Shared();
    const first = registry({ store });
    first.offer(offered("before"));
    await first.idle();
    const second = registry({ store });
    expect(second.offer(offered("before"))).toMatchObject({ state: "ACTIVE", uri: uri(0) });
    const [record] = store.records.values();
    if (record === undefined) throw new Error("nothing was kept");
    store.records.set(sha256("other"), record);
    // A cast: what lies in a file may be anything.
    store.records.set(sha256("damaged"), { sha256: sha256("damaged") } as UploadRecord);
    expect(second.offer(offered("other")).state).toBe("PENDING");
    expect(second.offer(offered("damaged")).state).toBe("PENDING");
    await second.idle();
    expect(arrived()).toEqual(["before", "other", "damaged"]);
  });

  it("goes on asking where an earlier process ended before its file was processed", async () => {
    const store = new Shared();
    api.processing = 1_000;
    const first = registry({ store, polls: 1_000_000 });
    first.offer(offered("slow"));
    while (api.polls.length < 2) await wait(1);
    await first.close();
    api.processing = 0;
    const second = registry({ store });
    expect(second.offer(offered("slow")).state).toBe("PENDING");
    await second.idle();
    expect(second.find(sha256("slow"))).toMatchObject({ state: "ACTIVE", uri: uri(0) });
    expect(arrived()).toEqual(["slow"]);
  });

  it("uploads the same bytes once where two processes want it at the same time", async () => {
    const store = new Shared();
    let letGo = () => {};
    api.hang = new Promise((resolve) => {
      letGo = resolve;
    });
    const [one, other] = [registry({ store, polls: 1_000_000 }), registry({ store, polls: 1_000_000 })];
    one.offer(offered("both"));
    other.offer(offered("both"));
    while (api.begun < 1) await wait(1);
    letGo();
    await Promise.all([one.idle(), other.idle()]);
    for (const files of [one, other])
      expect(files.find(sha256("both"))).toMatchObject({ state: "ACTIVE", uri: uri(0) });
    expect(arrived()).toEqual(["both"]);
  });

  it("takes it from the other where the provider could not process them", async () => {
    const store = new Shared();
    api.ends = "FAILED";
    const [one, other] = [registry({ store, polls: 1_000_000 }), registry({ store, polls: 1_000_000 })];
    one.offer(offered("bad"));
    other.offer(offered("bad"));
    await Promise.all([one.idle(), other.idle()]);
    for (const files of [one, other]) expect(files.find(sha256("bad"))?.state).toBe("FAILED");
    expect(arrived()).toEqual(["bad"]);
  });

  it("takes the new address that another process has after a refusal", async () => {
    const store = new Shared();
    const [one, other] = [registry({ store }), registry({ store })];
    one.offer(offered("mine"));
    await one.idle();
    expect(other.offer(offered("mine")).uri).toBe(uri(0));
    one.refused(uri(0), offered("mine"));
    await one.idle();
    other.refused(uri(0), offered("mine"));
    expect(other.find(sha256("mine"))).toMatchObject({ state: "ACTIVE", uri: uri(1) });
    expect(api.files).toHaveLength(2);
  });
});
