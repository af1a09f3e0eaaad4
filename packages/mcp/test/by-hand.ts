import { spawn } from "node:child_process";
import { type Ground, type ServerOptions, serverArguments } from "./server-process.js";

/** A server process spoken to by hand, line by line. */
export function launch(ground: Ground, options: ServerOptions = {}) {
  const child = spawn(process.execPath, serverArguments(ground, options), {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    child,
    say: (...lines: readonly string[]) => child.stdin.write(lines.map((line) => `${line}\n`).join("")),
    output: () => ({ lines: stdout.split("\n").filter((line) => line !== ""), stderr }),
    exited,
  };
}

/** One message of a client. */
export const request = (id: number, method: string, params: object) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });
/** How a client begins. */
export const opening = [
  request(1, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "by-hand", version: "1" },
  }),
  JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
];

/** Waits for what comes in its own time; the limit only guards against hanging. */
export async function until(condition: () => boolean): Promise<void> {
  const limit = Date.now() + 60_000;
  while (!condition()) {
    if (Date.now() > limit) throw new Error("it did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
