import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { freshFolder, makeFolder, remove } from "../rooms.mjs";
import { peakMegabytes, smallHeap, tooMuch } from "./room.mjs";

/** @typedef {import("../contract.mjs").Row} Row */
/** @typedef {ReturnType<typeof startServer>} Server */

const reading = { name: "read_file", arguments: { file_path: "a.txt" } };

/** M1: clients of `holdfast mcp` that behave badly. @param {number} count of messages @returns {AsyncGenerator<Row>} */
export async function* serverFloods(count) {
  yield await flood(`${count} calls of a client that does not read`, count, async (server) => {
    for (let at = 0; at < count; at++) server.say({ id: at, method: "tools/call", params: reading });
    await untilIdle(server.pid);
    server.read();
    await server.answered(count);
  });
  yield await flood(`${count} calls at once`, count, async (server) => {
    server.read();
    const calls = Array.from({ length: count }, (_, id) =>
      JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: reading }),
    );
    server.write(`${calls.join("\n")}\n`);
    await server.answered(count);
  });
  yield await flood(`${count * 10} frames of garbage`, 0, async (server) => {
    server.read();
    for (let at = 0; at < count; at++) {
      server.write(frames());
      if (at % 100 === 0) await server.drained();
    }
  });
  yield await flood("a line of 150 MB", 0, async (server) => {
    server.read();
    for (let at = 0; at < 150; at++) {
      server.write("x".repeat(1_000_000));
      await server.drained();
    }
    server.write("\n");
  });
}

/** Ten frames that are no message, or none that is asked for. */
function frames() {
  const noise = randomBytes(60).toString("latin1").replaceAll("\n", "");
  return [
    noise,
    "",
    "{",
    "[]",
    "null",
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":{},"method":"tools/call"}',
    '{"jsonrpc":"2.0","id":null,"result":1}',
    '{"jsonrpc":"1.0","id":1,"method":7}',
    `${"[".repeat(500)}\n`,
  ].join("\n");
}

/**
 * @param {string} what @param {number} count of calls that must be answered once each
 * @param {(server: Server) => Promise<void>} act @returns {Promise<Row>}
 */
async function flood(what, count, act) {
  const top = freshFolder();
  const root = makeFolder(`${top}/root`);
  writeFileSync(`${root}/a.txt`, `${"x".repeat(99)}\n`.repeat(2_400));
  const server = startServer(root, `${top}/state`);
  try {
    server.say({ id: "hello", method: "initialize", params: hello });
    server.say({ method: "notifications/initialized" });
    await act(server);
    server.say({ id: "ping", method: "ping" });
    const pinged = await server.until("ping");
    const peak = peakMegabytes(server.pid);
    const { answers, twice } = server.seen(count);
    return {
      figure: "M1",
      what,
      tried: 1,
      bad: { ...tooMuch(peak), unanswered: count - answers, twice, "no ping": pinged ? 0 : 1 },
      seen: `${peak} MB at most`,
    };
  } finally {
    server.stop();
    remove(top);
  }
}

const hello = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "proof", version: "1" },
};

/** @param {string} root @param {string} stateDir */
function startServer(root, stateDir) {
  const args = smallHeap(["mcp", "--root", root, "--state-dir", stateDir]);
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.on("error", () => {});
  const write = (/** @type {string} */ text) => child.stdin.write(text, "latin1");
  /** @type {Map<unknown, number>} */
  const times = new Map();
  let over = false;
  child.on("exit", () => {
    over = true;
  });
  const isEnough = async (/** @type {() => boolean} */ enough) => {
    while (!over && !enough()) await pause(5);
    return enough();
  };
  const idsSeen = () => [...times].filter(([id]) => typeof id === "number");
  return {
    pid: child.pid,
    write,
    say: (/** @type {object} */ message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    drained: () => isEnough(() => !child.stdin.writableNeedDrain),
    read() {
      createInterface({ input: child.stdout }).on("line", (line) => {
        // An answer of 240 kB need not be parsed for its id, which is at its end.
        const id = JSON.parse(
          /"id":("[^"]*"|\d+|null)/.exec(`${line.slice(0, 200)}${line.slice(-200)}`)?.[1] ?? "null",
        );
        times.set(id, (times.get(id) ?? 0) + 1);
      });
    },
    answered: (/** @type {number} */ count) => isEnough(() => idsSeen().length >= count),
    until: (/** @type {string} */ id) => isEnough(() => times.has(id)),
    seen(/** @type {number} */ count) {
      const ids = idsSeen().filter(([id]) => Number(id) < count);
      return { answers: ids.length, twice: ids.filter(([, often]) => count > 0 && often > 1).length };
    },
    stop: () => void child.kill("SIGKILL"),
  };
}

/** Until the process has used no processor for a while: it waits for us. @param {number | undefined} pid */
async function untilIdle(pid) {
  const used = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(" ").slice(13, 15).join(" ");
  for (let before = ""; before !== used(); ) {
    before = used();
    await pause(1_500);
  }
}
