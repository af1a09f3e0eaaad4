import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileApi, geminiWire, type ServedAnswer } from "../../../agent/test/loopback/index.js";
import { program } from "../process.js";
import { provided } from "./provided.js";

const big = Array.from({ length: 3_000 }, (_, at) => `line ${at} of a large file\n`).join("");

async function google(script: readonly ServedAnswer[]) {
  const place = await provided(geminiWire, script, { "big.txt": big });
  const api = new FileApi(place.server.key);
  place.server.files = api;
  const uploads = join(place.home.folder, "state/holdfast/uploads");
  return { ...place, api, uploads };
}

describe("the program with large files and a model of Google", () => {
  it("uploads the same bytes once over all its runs, and names them by their address", async () => {
    const { run, api, server, uploads } = await google([{ text: "One." }, { text: "Two." }]);
    const track = () => run(["-p", "/file track big.txt"]);
    // Whoever comes when the other one is done has nothing left to say.
    const tracked = await Promise.all([track(), track()]);
    expect(tracked.map(({ code }) => code)).toEqual([0, 0]);
    expect(tracked.map(({ stdout }) => stdout).join("")).toContain(
      "big.txt (76 KiB) is being uploaded to Google",
    );
    expect((await run(["-c", "-p", "What is it?"])).code).toBe(0);
    const again = await run(["-p", "Look at @big.txt"]);
    expect([again.code, again.stderr]).toEqual([0, ""]);
    expect(
      server.requests.map(({ text }) => [text.includes("line 9 of"), text.includes("/files/f0")]),
    ).toEqual([
      [false, true],
      [false, true],
    ]);
    expect(api.files.map(({ bytes }) => bytes.toString() === big)).toEqual([true]);
    expect([...server.refused, ...api.refused]).toEqual([]);

    const [account = ""] = readdirSync(uploads);
    const [record = ""] = readdirSync(join(uploads, account));
    expect(statSync(join(uploads, account, record)).mode & 0o777).toBe(0o600);
    expect(`${account} ${readFileSync(join(uploads, account, record), "utf8")}`).not.toContain(server.key);
  });

  it("ends a turn and itself while an upload never answers, and when it is cancelled", async () => {
    const { run, api, server, project, env, uploads } = await google([
      { text: "One." },
      { fault: { kind: "hold" } },
    ]);
    api.hang = new Promise(() => {});
    const ended = await run(["-p", "Look at @big.txt"]);
    expect([ended.code, ended.stdout.trim()]).toEqual([0, "One."]);
    expect(ended.stderr).toContain("big.txt (76 KiB) is being uploaded to Google");
    expect(server.requests[0]?.text).toContain("line 9 of");
    const held = server.held();
    const running = spawn(process.execPath, [program, "-p", "Look at @big.txt"], {
      cwd: project.folder,
      env: { PATH: process.env.PATH ?? "", ...env },
      stdio: ["ignore", "ignore", "ignore"],
    });
    await held;
    running.kill("SIGINT");
    expect(await once(running, "close")).toEqual([130, null]);
    expect(existsSync(uploads)).toBe(false);
  });

  it("keeps no record where it is to leave no trace, and uploads nothing where it is told so", async () => {
    const { run, api, server, uploads, home } = await google([{ text: "One." }]);
    await run(["--ephemeral", "-p", "/file track big.txt"]);
    expect([api.files.length, existsSync(uploads)]).toEqual([1, false]);
    const settings = JSON.parse(readFileSync(join(home.folder, "settings.jsonc"), "utf8"));
    home.put("settings.jsonc", JSON.stringify({ ...settings, files: { api: "off" } }));
    const { stderr } = await run(["-p", "Look at @big.txt"]);
    expect([stderr, api.files.length]).toEqual(["", 1]);
    expect(server.requests[0]?.text).toContain("line 9 of");
  });
});
