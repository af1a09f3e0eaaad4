import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type GoogleFiles, googleFilesClient } from "@holdfast/agent";
import type { OverlayForm } from "@holdfast/core/conversation/values";
import { openUploadFolder, sha256 } from "@holdfast/core/node";
import { afterEach, describe, expect, it } from "vitest";
import { expandInput } from "../../../packages/agent/src/input/expand-input.js";
import type { AgentEvent, TurnEnd } from "../../../packages/agent/src/loop/turn.js";
import { googleModel } from "../../../packages/agent/src/models/open-model.js";
import { scriptedModel } from "../../../packages/agent/src/models/scripted.js";
import { runCommand } from "../../../packages/agent/src/slash/run-command.js";
import { openStage, type Stage } from "../../../packages/agent/test/loop/stage.js";
import {
  FileApi,
  geminiWire,
  ProviderServer,
  type ServedAnswer,
} from "../../../packages/agent/test/loopback/index.js";
import { openGoogleFiles } from "../src/index.js";

const big = Array.from({ length: 400 }, (_, at) => `line ${at} of a large file\n`).join("");
const hour = 3_600_000;

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

/** Without limits of time: an answer that comes late on a busy machine is asked for once. */
const portOf = ({ wire: { model }, key, url }: ProviderServer) =>
  googleModel({
    ...{ model, key, keyName: "THE_KEY", baseUrl: url, retry: { attempts: 1 } },
    ...{ idleMs: 600_000, openMs: 600_000 },
  });

const saying = (...texts: readonly string[]) => texts.map((text) => ({ text }));

/** Google on loopback, models and files; an account's records outlast the agents. */
async function google(script: readonly ServedAnswer[] = []) {
  const server = await new ProviderServer(geminiWire, script).open();
  const api = new FileApi(server.key);
  server.files = api;
  const stages: Stage[] = [];
  const registries: GoogleFiles[] = [];
  let stateDir = "";
  let now = Date.now();
  ending.push(async () => {
    for (const files of registries) await files.close();
    for (const stage of stages) await stage.close();
    await server.close();
    expect([...server.refused, ...api.refused]).toEqual([]);
  });
  const uploads = () => {
    const folder = openUploadFolder("account", stateDir);
    if (folder.kind === "refusal") throw new Error(folder.message);
    let files: GoogleFiles | undefined;
    const open = async () => {
      files ??= openGoogleFiles({
        client: (signal) => googleFilesClient({ key: server.key, baseUrl: server.url }, signal),
        now: () => now,
        sleep: (ms, signal) => wait(ms, undefined, { signal }),
        store: folder,
        ...{ pollMs: 1, polls: 3 },
      });
      registries.push(files);
      return files;
    };
    return { open, fromBytes: 4_096, digest: (bytes: Uint8Array) => sha256(bytes) };
  };
  /** A new session, of a new process as far as files are concerned. */
  const begin = async (files: Readonly<Record<string, string>> = { "big.txt": big }) => {
    const parts = { model: portOf(server), now: () => now };
    // The first stage's project lies beside the state folder of them all.
    const stage: Stage = await openStage(
      [],
      { ...parts, uploads: { ...lazily(uploads), fromBytes: 4_096 } },
      files,
    );
    if (stateDir === "") stateDir = join(stage.root, "..", "state");
    stages.push(stage);
    return stage;
  };
  return {
    server,
    api,
    begin,
    idle: async () => {
      for (const files of registries) await files.idle();
    },
    pass: (ms: number) => {
      now += ms;
    },
    parts: () => ({ model: portOf(server), now: () => now, uploads: uploads() }),
    /** What a request was, as one text. */
    request: (at: number) => server.requests.at(at)?.text ?? "",
  };
}

/** The folder is known once the stage is there. */
function lazily(
  uploads: () => {
    readonly open: () => Promise<GoogleFiles>;
    readonly digest: (bytes: Uint8Array) => string;
  },
) {
  let made: ReturnType<typeof uploads> | undefined;
  const get = () => {
    made ??= uploads();
    return made;
  };
  return { open: () => get().open(), digest: (bytes: Uint8Array) => sha256(bytes) };
}

interface Said {
  readonly end: TurnEnd;
  readonly notices: readonly string[];
}

/** A turn with what `@` names, as the program makes it. */
async function say({ agent, workspace }: Stage, text: string, signal?: AbortSignal): Promise<Said> {
  const notices: string[] = [];
  const { uploads } = agent;
  const { isVisible } = agent.visibility;
  const input = await expandInput(text, {
    workspace,
    isVisible,
    onMedia: async (file) => {
      const said = await uploads?.media(file);
      if (said !== undefined) notices.push(said);
    },
  });
  if (input.kind === "cancelled") throw new Error("cancelled");
  const onEvent = (event: AgentEvent) => void (event.kind === "noticed" && notices.push(event.text));
  const end = await agent.turn(
    { text: input.text, staged: input.staged },
    { onEvent, ...(signal === undefined ? {} : { signal }) },
  );
  return { end, notices };
}

/** The forms that were chosen on the branch, in their order. */
function chosen({ manager: { context } }: Stage): readonly OverlayForm["form"][] {
  const inTime = [...context.nodes.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  return inTime.flatMap(({ payload }) =>
    payload.kind === "context_management" && payload.action === "reform"
      ? payload.changes.map(({ form }) => form.form)
      : [],
  );
}

const isInline = (request: string) =>
  request.includes("line 399 of a large file") && !request.includes("fileUri");
const isByAddress = (request: string) => !request.includes("line 399") && request.includes("/files/f");

describe("a large file before a model of Google", () => {
  it("is sent by its text while its upload never answers: the turn ends, and so does the run", async () => {
    const { api, begin, request, server } = await google([
      { calls: [{ name: "read_file", args: { file_path: "small.txt" } }] },
      { text: "Read." },
      { text: "Again." },
    ]);
    api.hang = new Promise(() => {});
    const stage = await begin({ "big.txt": big, "small.txt": "small\n" });
    const { end, notices } = await say(stage, "Look at @big.txt");
    expect(end).toMatchObject({ reason: "complete", steps: 2 });
    expect(notices).toEqual([
      "big.txt (10 KiB) is being uploaded to Google, which keeps it for two days; until it is there, it is sent as it is.",
    ]);
    while (api.begun < 1) await wait(1);
    expect((await say(stage, "And again")).notices).toEqual([]);
    expect(server.requests.map((_, at) => isInline(request(at)))).toEqual([true, true, true]);
    expect(chosen(stage)).toEqual([]);
  });

  it("is uploaded once, and stands by its address in the next session; its lines count as seen", async () => {
    const { api, begin, idle, request } = await google(saying("One.", "Two.", "Three."));
    await say(await begin(), "Look at @big.txt");
    await idle();
    const stage = await begin();
    expect((await say(stage, "Look at @big.txt")).notices).toEqual([]);
    expect([isInline(request(0)), isByAddress(request(1))]).toEqual([true, true]);
    expect(chosen(stage)).toEqual(["uri"]);
    const state = { path: "big.txt", sha256: sha256(Buffer.from(big)), from: 1, to: 400 };
    expect(stage.agent.visibility.isVisible(state)).toBe(true);
    expect((await say(stage, "And @big.txt again")).end.reason).toBe("complete");
    expect(request(2).match(/fileUri/gu)).toHaveLength(1);
    expect(api.files.map(({ bytes, mimeType }) => [bytes.toString() === big, mimeType])).toEqual([
      [true, "text/plain"],
    ]);
  });

  it("keeps the form in which it was sent while the cache is warm, and takes its address once it is cold", async () => {
    const { begin, idle, request, pass } = await google(saying("One.", "Two.", "Three.", "Four."));
    const stage = await begin();
    await say(stage, "Look at @big.txt");
    await idle();
    await say(stage, "Go on");
    expect(isInline(request(1))).toBe(true);
    const contents = (at: number) => JSON.stringify(JSON.parse(request(at)).contents).slice(0, -2);
    expect(contents(1).startsWith(contents(0).slice(0, big.length))).toBe(true);
    pass(2 * hour);
    await say(stage, "Go on");
    expect(isByAddress(request(2))).toBe(true);
    expect(chosen(stage)).toEqual(["uri"]);
    await say(stage, "Go on");
    expect(contents(3).startsWith(contents(2).slice(0, 500))).toBe(true);
    expect(chosen(stage)).toEqual(["uri"]);
  });

  it("keeps it also where the request that had it was cancelled", async () => {
    const { api, begin, idle, request, server } = await google([
      { fault: { kind: "hold" } },
      { text: "Two." },
    ]);
    const stage = await begin();
    const cancelling = new AbortController();
    const held = server.held();
    const turn = say(stage, "Look at @big.txt", cancelling.signal);
    await held;
    cancelling.abort();
    await turn;
    await idle();
    await say(stage, "Go on");
    expect([isInline(request(0)), isInline(request(1)), api.files.length]).toEqual([true, true, 1]);
  });

  it("sends the same after a resume: the choice stands in the journal", async () => {
    const { begin, idle, request, parts } = await google(saying("One.", "Two.", "Three."));
    await say(await begin(), "Look at @big.txt");
    await idle();
    const stage = await begin();
    await say(stage, "Look at @big.txt");
    const resumed = await stage.resume([], parts());
    await say(resumed, "Go on");
    const beginning = (at: number) => JSON.stringify(JSON.parse(request(at)).contents[0].parts);
    expect(beginning(2)).toBe(beginning(1));
    expect(isByAddress(request(2))).toBe(true);
    expect(chosen(resumed)).toEqual(["uri"]);
  });

  it("stays inline where its upload fails, or is processed for too long", async () => {
    for (const fault of [
      { ends: "FAILED" },
      { processing: 1_000 },
      { otherBytes: true },
      { status: 500 },
    ] as const) {
      const { api, begin, idle, request } = await google(saying("One.", "Two."));
      Object.assign(api, fault);
      await say(await begin(), "Look at @big.txt");
      await idle();
      const stage = await begin();
      await say(stage, "Look at @big.txt");
      expect([fault, isInline(request(1))]).toEqual([fault, true]);
      expect(chosen(stage)).toEqual([]);
    }
  });

  it("goes inline when its address expires, and is uploaded again", async () => {
    const { api, begin, idle, request, pass } = await google(saying("1", "2", "3", "4"));
    api.expires = new Date(Date.now() + 48 * hour).toISOString();
    await say(await begin(), "Look at @big.txt");
    await idle();
    const stage = await begin();
    await say(stage, "Look at @big.txt");
    pass(48 * hour - 10 * 60_000 - 60_000);
    await say(stage, "Go on");
    expect(isByAddress(request(2))).toBe(true);
    expect(api.files).toHaveLength(1);
    pass(60_000);
    api.expires = new Date(Date.now() + 96 * hour).toISOString();
    await say(stage, "Go on");
    expect(isInline(request(3))).toBe(true);
    await idle();
    expect(api.files).toHaveLength(2);
  });
});

describe("an address that is refused", () => {
  const write = { name: "append_to_file", args: { file_path: "log.txt", content: "once\n" } };

  it("gives way to the text, the turn goes on with nothing run twice, and the bytes are uploaded once more", async () => {
    const { api, begin, idle, request, server, pass } = await google([
      { text: "One." },
      { calls: [write] },
      { text: "Done." },
      { text: "Four." },
    ]);
    await say(await begin(), "Look at @big.txt");
    await idle();
    const stage = await begin({ "big.txt": big, "log.txt": "" });
    let isForbidden = false;
    server.onRequest = (count) => {
      // Between the two requests of the turn.
      if (count !== 2 || isForbidden) return;
      isForbidden = true;
      api.forbidden.add("files/f0");
    };
    const { end } = await say(stage, "Look at @big.txt and write.");
    expect(end).toMatchObject({ reason: "complete", steps: 3 });
    expect(stage.read("log.txt")).toBe("once\n");
    expect([1, 2, 3].map((at) => isByAddress(request(at)))).toEqual([true, true, false]);
    expect(isInline(request(3))).toBe(true);
    expect(chosen(stage)).toEqual(["uri", "inline"]);
    await idle();
    expect(api.files).toHaveLength(2);
    pass(2 * hour);
    await say(stage, "Go on");
    expect(request(4)).toContain("/files/f1");
  });

  it("is given up after the second refusal, also by the next process", async () => {
    const { api, begin, idle, request, pass } = await google(saying("1", "2", "3", "4"));
    await say(await begin(), "Look at @big.txt");
    await idle();
    api.forbidden.add("files/f0").add("files/f1").add("files/f2");
    const stage = await begin();
    expect((await say(stage, "Look at @big.txt")).end.reason).toBe("complete");
    await idle();
    pass(2 * hour);
    expect((await say(stage, "Go on")).end.reason).toBe("complete");
    await idle();
    expect((await say(await begin(), "Look at @big.txt")).end.reason).toBe("complete");
    expect(isInline(request(-1))).toBe(true);
    expect(api.files).toHaveLength(2);
  });

  it("is not renewed where the file may not leave any more", async () => {
    const { api, begin, idle, request } = await google(saying("1", "2", "3", "4"));
    await say(await begin(), "Look at @big.txt");
    await idle();
    const stage = await begin();
    await say(stage, "Look at @big.txt");
    stage.write(".holdfastignore", "big.txt\n");
    api.forbidden.add("files/f0");
    for (const turn of ["Go on", "And on"]) expect((await say(stage, turn)).end.reason).toBe("complete");
    await idle();
    expect([isInline(request(-2)), isInline(request(-1)), api.files.length]).toEqual([true, true, 1]);
  });

  it("does not hide that the key itself is refused", async () => {
    const { begin, idle, server } = await google([
      { text: "One." },
      { fault: { kind: "status", status: 403 } },
      { fault: { kind: "status", status: 403 } },
    ]);
    await say(await begin(), "Look at @big.txt");
    await idle();
    const { end } = await say(await begin(), "Look at @big.txt");
    expect(end).toMatchObject({ reason: "failed", failure: { reason: "auth", status: 403 } });
    expect(server.left).toBe(0);
  });
});

describe("what is never uploaded", () => {
  it("is a secret, by its name, through a link, or since it was moved from such a name", async () => {
    const { api, begin, idle, server } = await google(saying("1", "2", "3"));
    const stage = await begin({ ".env": big });
    symlinkSync(".env", join(stage.root, "plain.txt"));
    for (const name of [".env", "plain.txt"]) {
      const { end, notices } = await say(stage, `Look at @${name}`);
      expect([name, end.reason, notices]).toEqual([name, "complete", []]);
    }
    const { state } = await stage.workspace.read({ path: ".env" }).then((read) => {
      if (read.kind !== "read") throw new Error("not read");
      return read;
    });
    const moved = await stage.workspace.move({ path: ".env", base: state.sha256, to: "moved.txt" });
    expect(moved.kind).toBe("written");
    expect((await say(stage, "Look at @moved.txt")).notices).toEqual([]);
    await idle();
    expect(server.requests).toHaveLength(3);
    expect(api.begun).toBe(0);
  });

  it("is a small file, a part of one, and one whose text is not its bytes", async () => {
    const { api, begin, idle } = await google(saying("1", "2"));
    const stage = await begin({ "small.txt": "small\n", "big.txt": big });
    writeFileSync(join(stage.root, "latin.txt"), Buffer.from(`${big}\u00e4\u00f6\u00fc\n`, "latin1"));
    await say(stage, "Look at @small.txt, @big.txt:1-300 and @latin.txt");
    await idle();
    expect(api.begun).toBe(0);
    stage.write("marked.txt", `\ufeff${big}`);
    await say(stage, "Look at @marked.txt");
    await idle();
    expect(api.files.map(({ bytes }) => bytes.toString())).toEqual([`\ufeff${big}`]);
  });

  it("is what another provider is asked about; an address is of no use to it", async () => {
    const { api, begin, idle } = await google(saying("One.", "Two."));
    await say(await begin(), "Look at @big.txt");
    await idle();
    const stage = await begin({ "big.txt": big, "other.txt": `${big}more\n` });
    await say(stage, "Look at @big.txt");
    const contents: string[] = [];
    const played = scriptedModel([{ text: "Three." }]);
    stage.agent.switchModel({
      target: { provider: "anthropic", model: "claude-sonnet-4-6" },
      ask: (step, signal) => {
        contents.push(JSON.stringify(step.contents));
        return played.ask(step, signal);
      },
    });
    expect(stage.agent.uploads).toBeUndefined();
    await say(stage, "Look at @other.txt");
    expect(contents.map(isInline)).toEqual([true]);
    await idle();
    expect(api.files).toHaveLength(1);
  });
});

describe("what a person names", () => {
  it("begins its upload with /file track, which says so; the next turn has its address", async () => {
    const { begin, idle, request } = await google(saying("One."));
    const stage = await begin();
    const { agent, manager, workspace } = stage;
    const result = await runCommand("/file track big.txt", { agent, manager, workspace });
    expect(result).toMatchObject({ kind: "told" });
    expect(result?.kind === "told" ? result.message : "").toContain(
      "big.txt (10 KiB) is being uploaded to Google",
    );
    await idle();
    await say(stage, "What is in it?");
    expect(isByAddress(request(0))).toBe(true);
  });

  it("begins with an image, too, which stands by its address in the next session", async () => {
    const { api, begin, idle, request } = await google(saying("One.", "Two.", "Three."));
    // The beginning of a PNG; nobody looks further.
    const png = Buffer.concat([
      Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"),
      Buffer.alloc(8_000, 7),
    ]);
    const put = (stage: Stage) => writeFileSync(join(stage.root, "a.png"), png);
    const first = await begin({});
    put(first);
    expect((await say(first, "Look at @a.png")).notices).toHaveLength(1);
    expect(request(0)).toContain("inlineData");
    await idle();
    const second = await begin({});
    put(second);
    expect((await say(second, "Look at @a.png")).notices).toEqual([]);
    expect(request(1)).not.toContain("inlineData");
    expect(request(1)).toContain('"mimeType":"image/png"');
    await say(second, "Go on");
    expect(request(2)).toContain("/files/f0");
    expect(api.files.map(({ bytes }) => bytes.equals(png))).toEqual([true]);
  });

  it("ends with the run that is cancelled", async () => {
    const { api, begin } = await google([{ fault: { kind: "hold" } }]);
    api.hang = new Promise(() => {});
    const stage = await begin();
    const cancelling = new AbortController();
    const turn = say(stage, "Look at @big.txt", cancelling.signal);
    while (api.begun < 1) await wait(1);
    cancelling.abort();
    expect((await turn).end.reason).toBe("cancelled");
  });

  it("counts in the context map as it counts for the model", async () => {
    const { begin, idle } = await google(saying("One.", "Two."));
    const inline = await begin();
    await say(inline, "Look at @big.txt");
    await idle();
    const byAddress = await begin();
    await say(byAddress, "Look at @big.txt");
    const size = (stage: Stage) =>
      stage.agent.contextMap.files.find(({ path }) => path === "big.txt")?.tokens ?? 0;
    expect(size(byAddress)).toBeGreaterThan(size(inline) * 0.9);
  });
});
