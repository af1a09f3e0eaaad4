/**
 * What the screen costs: `node bench/screen/run.mjs` after a build, with tmux and util-linux. A model on loopback streams
 * 4,000 tokens of Markdown at 200 a second to the real program in a window of 100×40. `--quick` streams 400.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { must } from "../context/engine.mjs";
import { openJournals, startConversation } from "../context/journals.mjs";
import { player } from "../context/turns.mjs";
import { tableOf } from "../patch/table.mjs";

const count = process.argv.includes("--quick") ? 400 : 4_000;
const perSecond = 200;
const program = fileURLToPath(new URL("../../packages/cli/bin/holdfast.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-screen-"));
const project = join(folder, "project");
mkdirSync(project);
const tokens = markdown(count);

/** How long the answer that goes out now has been going on; the words of the last request say which one it is. */
const server = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  const isStream = Buffer.concat(parts).toString().includes("stream the text");
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (/** @type {object} */ value) => response.write(`data: ${JSON.stringify(value)}\n\n`);
  const delta = (/** @type {string} */ content) =>
    send({ id: "1", choices: [{ index: 0, delta: { content } }] });
  const begun = performance.now();
  for (let at = 0; isStream && at < tokens.length; await wait(5)) {
    const due = Math.min(tokens.length, Math.floor(((performance.now() - begun) / 1_000) * perSecond));
    while (at < due) delta(tokens[at++] ?? "");
  }
  delta("\n\nThe end.\n");
  send({ id: "1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  send({ id: "1", choices: [], usage: { prompt_tokens: 100, completion_tokens: tokens.length } });
  response.end("data: [DONE]\n\n");
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
const address = /** @type {import("node:net").AddressInfo} */ (server.address());
const provider = { kind: "chat", baseUrl: `http://127.0.0.1:${address.port}/v1`, keyEnv: "BENCH_KEY" };
const settings = { model: { name: "bench/model", providers: { bench: provider } } };
writeFileSync(join(folder, "settings.jsonc"), JSON.stringify(settings));
const state = join(folder, "state");
const env = {
  PATH: process.env.PATH ?? "",
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
  HOME: folder,
  HOLDFAST_HOME: folder,
  XDG_STATE_HOME: state,
  BENCH_KEY: "key",
};

try {
  const rows = [...(await streamed()), ...(await typed())];
  console.log(tableOf(["measured", "is", "aim"], rows));
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** The stream in a window of tmux. */
async function streamed() {
  const log = join(folder, "bytes");
  const tmux = (/** @type {readonly string[]} */ ...args) =>
    execFileSync("tmux", ["-S", join(folder, "tmux"), "-f", "/dev/null", ...args], { env, encoding: "utf8" });
  const until = async (/** @type {string} */ words) => {
    while (!tmux("capture-pane", "-p").includes(words)) await wait(50);
  };
  tmux(
    "new-session",
    "-d",
    "-x",
    "100",
    "-y",
    "40",
    "-c",
    project,
    `exec '${process.execPath}' '${program}'`,
  );
  try {
    const pid = Number(tmux("display-message", "-p", "#{pane_pid}"));
    await until("? for help");
    const painted = cpuOf(pid);
    await wait(2_000);
    const rested = cpuOf(pid);
    await wait(10_000);
    const idle = cpuOf(pid) - rested;
    tmux("pipe-pane", `cat > '${log}'`);
    const before = cpuOf(pid);
    tmux("send-keys", "-l", "stream the text");
    tmux("send-keys", "Enter");
    await until("The end.");
    await wait(500);
    return [
      ["bytes a token", (statSync(log).size / count).toFixed(1), "70"],
      ["processor time of the stream", `${(cpuOf(pid) - before).toFixed(2)} s`, "4 s"],
      ["memory after it", `${memoryOf(pid)} MB`, "200 MB"],
      ["processor time to the first paint", `${painted.toFixed(2)} s`, "0.35 s"],
      ["idle for 10 s", `${idle.toFixed(2)} s`, "0.03 s"],
    ];
  } finally {
    tmux("kill-server");
  }
}

/** Keys in a session of 10,000 nodes, and while an answer streams. */
async function typed() {
  const store = await openJournals(join(state, "holdfast"));
  const stored = await startConversation(store);
  const { play } = player(stored.manager, "linear");
  while (stored.manager.context.nodes.size < 10_000) play();
  must(await stored.manager.flush());
  const id = stored.session.id;
  await stored.close();
  await store.close();
  const command = `stty cols 100 rows 40; exec '${process.execPath}' '${program}' -r '${id}'`;
  const child = spawn("script", ["-qec", command, "/dev/null"], { env, cwd: project });
  let shown = "";
  /** @type {(() => void) | undefined} */
  let seen;
  child.stdout.on("data", (data) => {
    shown += data;
    seen?.();
  });
  const until = async (/** @type {string} */ words) => {
    while (!shown.includes(words))
      await new Promise((resolve) => {
        seen = () => resolve(undefined);
        setTimeout(resolve, 1_000);
      });
  };
  const echoes = async () => {
    const times = [];
    for (let at = 0; at < 100; at += 1) {
      const letter = "QZXK"[at % 4] ?? "Q";
      shown = "";
      const begun = performance.now();
      child.stdin.write(letter);
      await until(letter);
      times.push(performance.now() - begun);
      await wait(20 + (at % 7));
    }
    return times.sort((one, other) => one - other)[94] ?? 0;
  };
  try {
    await until("? for help");
    await wait(1_000);
    const idle = await echoes();
    child.stdin.write("\u0003");
    await wait(100);
    child.stdin.write("stream the text\r");
    await wait(1_500);
    const busy = count < 4_000 ? Number.NaN : await echoes();
    return [
      ["keystroke to echo, 95th of 100, 10,000 nodes", `${idle.toFixed(1)} ms`, "16 ms"],
      ["the same while it streams", `${busy.toFixed(1)} ms`, "16 ms"],
    ];
  } finally {
    child.kill("SIGKILL");
  }
}

/** Seconds of a process, by user and system. @param {number} pid */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** @param {number} pid */
function memoryOf(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024);
}

/** Tokens of about four letters: paragraphs, headings, lists, code. @param {number} length */
function markdown(length) {
  const words =
    "each reader finds the first line that is wrong before a second one hides it from everybody who looks".split(
      " ",
    );
  const made = [];
  for (let at = 0, line = 0, column = 0; made.length < length; at = (at * 7 + 3) % 1_009) {
    const word = words[at % words.length] ?? "";
    const part = line % 12 > 5 || at % 20 > 0 ? word : `**${word}**`;
    made.push(`${part} `);
    column += part.length + 1;
    if (column < 70) continue;
    [line, column] = [line + 1, 0];
    const begins = [
      `\n\n## Part ${line}\n\n`,
      "\n",
      "\n- ",
      "\n- ",
      "\n\n",
      "\n```ts\n",
      "\n",
      "\n",
      "\n",
      "\n```\n\n",
      "\n",
      "\n- ",
    ];
    made.push(begins[line % begins.length] ?? "\n");
  }
  return made;
}
