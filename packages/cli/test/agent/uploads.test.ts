import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileApi, geminiWire, type ServedAnswer } from "../../../agent/test/loopback/index.js";
import { isThere } from "../addon-there.js";
import { provided } from "./provided.js";

const big = Array.from({ length: 3_000 }, (_, at) => `line ${at} of a large file\n`).join("");

async function google(script: readonly ServedAnswer[], settings: object = {}) {
  const place = await provided(geminiWire, script, { "big.txt": big }, { ...settings });
  const api = new FileApi(place.server.key);
  place.server.files = api;
  return { ...place, api, uploads: join(place.home.folder, "state/holdfast/uploads") };
}

describe.skipIf(!isThere("google-files"))("the program with large files and a model of Google", () => {
  it("uploads the same bytes once over all its runs, and names them by their address", async () => {
    const { run, api, server, uploads } = await google([{ text: "One." }, { text: "Two." }]);
    // Side by side they run in two processes; whoever comes when the other one is done has nothing left to say.
    const tracked = await Promise.all([1, 2].map(() => run(["-p", "/file track big.txt"])));
    expect(tracked.map(({ code }) => code)).toEqual([0, 0]);
    const told = tracked.map(({ stdout }) => stdout).join("");
    expect(told).toContain("big.txt (76 KiB) is being uploaded to Google");
    expect((await run(["-c", "-p", "What is it?"])).code).toBe(0);
    expect(await run(["-p", "Look at @big.txt"])).toMatchObject({ code: 0, stderr: "" });
    const requests = server.requests.map(({ text }) => [
      text.includes("line 9 of"),
      text.includes("/files/f0"),
    ]);
    expect(requests).toEqual([
      [false, true],
      [false, true],
    ]);
    expect(api.files.map(({ bytes }) => bytes.toString() === big)).toEqual([true]);
    expect([...server.refused, ...api.refused]).toEqual([]);

    const [account = ""] = readdirSync(uploads);
    const [record = ""] = readdirSync(join(uploads, account));
    const path = join(uploads, account, record);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(`${account} ${readFileSync(path, "utf8")}`).not.toContain(server.key);
  });

  it("ends a turn and itself while an upload never answers, and when it is cancelled", async () => {
    const { run, begin, api, server, uploads } = await google([
      { text: "One." },
      { fault: { kind: "hold" } },
    ]);
    api.hang = new Promise(() => {});
    const look = ["-p", "Look at @big.txt"];
    const ended = await run(look, { process: true });
    expect([ended.code, ended.stdout.trim()]).toEqual([0, "One."]);
    expect(ended.stderr).toContain("big.txt (76 KiB) is being uploaded to Google");
    expect(server.requests[0]?.text).toContain("line 9 of");
    const held = server.held();
    const running = begin(look);
    await held;
    running.kill("SIGINT");
    expect(await once(running, "close")).toEqual([130, null]);
    expect(existsSync(uploads)).toBe(false);
  });

  it("keeps no record where it is to leave no trace, and uploads nothing where it is told so", async () => {
    const { run, api, uploads } = await google([]);
    await run(["--ephemeral", "-p", "/file track big.txt"]);
    expect([api.files.length, existsSync(uploads)]).toEqual([1, false]);
    const off = await google([{ text: "One." }], { files: { api: "off" } });
    expect((await off.run(["-p", "Look at @big.txt"])).stderr).toBe("");
    expect(off.api.files).toEqual([]);
    expect(off.server.requests[0]?.text).toContain("line 9 of");
  });
});
