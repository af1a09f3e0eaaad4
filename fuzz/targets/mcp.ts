import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ensure, isRecord, jsonOf, type Target } from "../target.js";

/**
 * Lines to a real `holdfast mcp` over its stdin. Held against: the server lives and answers a ping that follows; it answers
 * ids that were asked, each once, and every well-formed call of a tool; nothing beside the project is touched, nothing of
 * ours is left in it, and no stack is told to anybody. Its code is not counted: kinds of answers stand in for it.
 */
export const mcp: Target = {
  name: "mcp",
  words: [
    ...[
      '"jsonrpc":"2.0"',
      '"id":',
      '"method":',
      "tools/call",
      "tools/list",
      "initialize",
      "ping",
      "params",
      "arguments",
    ],
    ...[
      "read_file",
      "read_many_files",
      "list_files",
      "search_files",
      "safe_patch",
      "edit_file",
      "write_file",
      "undo_edit",
    ],
    ...[
      "append_to_file",
      "update_section",
      "file_path",
      "base_content_sha256",
      "unified_diff",
      "content",
      "old_string",
    ],
    ...[
      "new_string",
      "../beside/f.txt",
      "/etc/hostname",
      "a.txt",
      "sub",
      "**",
      "edits",
      "paths",
      "pattern",
      "_meta",
    ],
    ...[
      "notifications/cancelled",
      "notifications/initialized",
      "\n",
      "[",
      "protocolVersion",
      "progressToken",
      "offset",
    ],
  ],
  async run(input) {
    if (server === undefined || server.used >= 150) await renew();
    await server?.feed(input);
  },
  met: () => [...(server?.kinds ?? [])],
  close: async () => server?.end(),
};

let server: Served | undefined;

async function renew(): Promise<void> {
  await server?.end();
  server = new Served();
  await server.begin();
}

/** One server with a project of its own. */
class Served {
  used = 0;
  private readonly top = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "holdfast-fuzz-"));
  private readonly child: ChildProcessWithoutNullStreams;
  /** By id: how often it was asked and answered since the server began, and whether this input's was answered. */
  private readonly asked = new Map<unknown, number>();
  private readonly allAnswers = new Map<unknown, number>();
  private readonly answers = new Set<unknown>();
  private waiting: (() => void) | undefined;
  private rest = "";
  private complaints = "";
  private ended = false;
  /** The kinds of answers to the last input. */
  kinds: ReadonlySet<string> = new Set<string>();
  private flaw: string | undefined;

  constructor() {
    for (const folder of ["project", "beside"]) {
      mkdirSync(join(this.top, folder, "sub"), { recursive: true });
      writeFileSync(join(this.top, folder, "f.txt"), "beside\n");
      writeFileSync(join(this.top, folder, "a.txt"), "one\ntwo\nthree\n");
    }
    const program = resolve("packages/cli/bin/holdfast.js");
    const args = [program, "mcp", "--root", join(this.top, "project")];
    const env = { ...process.env, HOLDFAST_STATE_DIR: join(this.top, "state") };
    this.child = spawn(process.execPath, args, { env, cwd: this.top });
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => this.take(text));
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.complaints = (this.complaints + text).slice(-20_000);
    });
    this.child.on("exit", () => {
      this.ended = true;
      this.waiting?.();
    });
    this.child.stdin.on("error", () => undefined);
  }

  async begin(): Promise<void> {
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "fuzz", version: "1" },
    };
    this.say({ jsonrpc: "2.0", id: "begin", method: "initialize", params });
    await this.until(() => this.answers.has("begin"));
    this.say({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  async feed(input: string): Promise<void> {
    this.used += 1;
    this.kinds = new Set();
    this.answers.clear();
    for (const id of idsIn(input)) this.asked.set(id, (this.asked.get(id) ?? 0) + 1);
    const ping = `ping ${this.used}`;
    this.child.stdin.write(`${input}\n`);
    this.say({ jsonrpc: "2.0", id: ping, method: "ping" });
    const wanted = [ping, ...mustAnswer(input)];
    await this.until(() => wanted.every((id) => this.answers.has(id)));
    ensure(!this.ended, "the server lives", this.complaints);
    ensure(this.flaw === undefined, "it says nothing but the protocol", this.flaw);
    // An answer may come late, with the next input: what is counted are all of them.
    for (const [id, times] of this.allAnswers) {
      if (id === null || id === undefined || String(id).startsWith("ping ") || id === "begin") continue;
      const count = this.asked.get(id) ?? 0;
      ensure(count > 0, "it answers what was asked", { id });
      ensure(times <= count, "it answers once", { id, times });
    }
    ensure(!/^ {4}at /m.test(this.complaints), "it tells no stack", this.complaints);
    this.checkFiles();
  }

  private checkFiles(): void {
    const beside = readFileSync(join(this.top, "beside", "f.txt"), "utf8");
    ensure(beside === "beside\n", "nothing beside the project is touched", beside);
    ensure(readdirSync(join(this.top, "beside")).length === 3, "nothing is made beside the project");
  }

  /** When the last call has ended. */
  private checkStages(): void {
    const names = readdirSync(join(this.top, "project"), { recursive: true }).map(String);
    ensure(!names.some((name) => /(^|\/)\.holdfast-[a-z2-7]{26}/.test(name)), "no stage file is left", names);
  }

  private take(text: string): void {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() ?? "";
    for (const line of lines) this.takeLine(line);
    this.waiting?.();
  }

  private takeLine(line: string): void {
    const answer = jsonOf(line);
    for (const one of Array.isArray(answer) ? answer : [answer]) {
      if (!isRecord(one) || one.jsonrpc !== "2.0") {
        this.flaw = line;
        continue;
      }
      if ("result" in one || "error" in one) {
        this.answers.add(one.id);
        this.allAnswers.set(one.id, (this.allAnswers.get(one.id) ?? 0) + 1);
      }
      this.kinds = new Set([...this.kinds, kindOf(one)]);
      if (line.includes("    at ") && /\.(js|ts):\d+:\d+/.test(line)) this.flaw = line;
    }
  }

  private say(message: object): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  private async until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.ended) {
      await new Promise<void>((done) => {
        this.waiting = done;
      });
    }
  }

  /** Ends the connection; the server carries through what had begun, and ends by itself. */
  async end(): Promise<void> {
    this.child.stdin.end();
    await this.until(() => this.ended);
    this.checkStages();
    rmSync(this.top, { recursive: true, force: true });
  }
}

/** The code of an answer, without what the request named. */
function kindOf({ error, result }: Readonly<Record<string, unknown>>): string {
  if (isRecord(error))
    return `error ${String(error.code)} ${String(error.message)
      .replace(/["'].*|\d+/g, "#")
      .slice(0, 60)}`;
  if (!isRecord(result) || !Array.isArray(result.content))
    return `result ${Object.keys(result ?? {}).join(",")}`;
  const [first] = result.content;
  const text = isRecord(first) && typeof first.text === "string" ? first.text : "";
  const [, code = "frame"] = /^(?:OK|FAILED) \(([a-z_]+)\)/.exec(text) ?? [];
  const words = text.split("\n")[0]?.replace(/["'`].*|[0-9a-f]{8,}|\d+/g, "#") ?? "";
  return `${code} ${String(result.isError)} ${words.slice(0, 50)}`;
}

/** Every id in the input, wherever it stands. */
function idsIn(input: string): readonly unknown[] {
  return input.split("\n").flatMap((line) => {
    const value = jsonOf(line);
    return (Array.isArray(value) ? value : [value]).flatMap((one) =>
      isRecord(one) && "id" in one ? [one.id] : [],
    );
  });
}

/** The ids of calls that nothing is wrong with as messages; none where one may have been cancelled or asked twice. */
function mustAnswer(input: string): readonly unknown[] {
  const ids = idsIn(input);
  if (input.includes("cancel") || new Set(ids.map(String)).size < ids.length) return [];
  return input.split("\n").flatMap((line) => {
    const value = jsonOf(line);
    if (!isRecord(value) || value.jsonrpc !== "2.0" || value.method !== "tools/call") return [];
    const { id, params } = value;
    const isId = (typeof id === "string" && id !== "") || Number.isSafeInteger(id);
    if (!isId || Object.is(id, -0) || !isRecord(params) || Object.keys(value).length !== 4) return [];
    const { name, arguments: args, ...more } = params;
    return typeof name === "string" && isRecord(args) && Object.keys(more).length === 0 ? [id] : [];
  });
}
