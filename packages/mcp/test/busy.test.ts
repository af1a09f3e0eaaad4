import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { endProcess } from "../../../test/end-process.js";
import { type Ground, makeGround, serverArguments } from "./server-process.js";

interface Message {
  readonly id?: string;
  readonly result?: unknown;
}

/**
 * The ids of the answers to a heavy call and to three pings behind it, in their order, up to the third ping. A ping
 * is sent when the one before it was answered, so that the last ones fall into the middle of the work. The work goes
 * on until its limit, far longer than any pause of a loaded machine: only a held loop can bring it in front of a ping.
 */
async function answersInOrder(ground: Ground, name: string, args: object): Promise<readonly string[]> {
  const server = spawn(process.execPath, serverArguments(ground, { limits: { searchMs: workMs } }), {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => endProcess(server));
  const answered: string[] = [];
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const client = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  send({ id: "hello", method: "initialize", params: client });
  for await (const line of createInterface({ input: server.stdout })) {
    // The server's own words, one JSON value a line.
    const { id } = JSON.parse(line) as Message;
    if (id === undefined) continue;
    if (id === "hello") {
      send({ method: "notifications/initialized" });
      send({ id: "heavy", method: "tools/call", params: { name, arguments: args } });
      send({ id: "ping 1", method: "ping" });
      continue;
    }
    answered.push(id);
    if (id === "heavy" || answered.length === pings.length) break;
    send({ id: `ping ${answered.length + 1}`, method: "ping" });
  }
  return answered;
}

/** Of the work, if nothing ends it before: a loop that is held for so long makes the test red, and no shorter. */
const workMs = 30_000;
const pings = ["ping 1", "ping 2", "ping 3"];

describe("a ping is answered while", () => {
  it("a folder is listed by 20,000 lines of an ignore file", async () => {
    const ground = await makeGround();
    await ground.put(".gitignore", Array.from({ length: 20_000 }, (_, at) => `*${at}x*`).join("\n"));
    for (let at = 0; at < 2_000; at++) await ground.put(`d${at % 10}/file${at}.txt`, "");
    expect(await answersInOrder(ground, "list_files", { depth: 2 })).toEqual(pings);
  });

  it("one file of 50 lines of 1 MB is searched", async () => {
    const ground = await makeGround();
    // Whatever comes after a 1 is remembered, no text is needed that bytes could be sought for, and nothing matches.
    const line = Array.from({ length: 70_000 }, (_, at) => at.toString(2))
      .join("")
      .slice(0, 1_000_000);
    await ground.put("long.txt", `${line}\n`.repeat(50));
    expect(await answersInOrder(ground, "search_files", { pattern: "1[01]{60}[23]" })).toEqual(pings);
  });
});
