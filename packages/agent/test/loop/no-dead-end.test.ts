import { describe, expect, it } from "vitest";
import { summariserOf } from "../../src/models/summariser.js";
import {
  anthropicWire,
  chatWire,
  geminiWire,
  type ProviderServer,
  type ReceivedRequest,
  responsesWire,
  type ServedAnswer,
  wires,
} from "../loopback/index.js";
import { portTo, serve } from "./on-wire.js";
import { openStage, type Stage } from "./stage.js";

const page = 130;
const big = Array.from(
  { length: 1_000 },
  (_, at) => `${String(at).padStart(4, "0")} ${"some words of it ".repeat(5)}`,
);
const fileNames = Array.from({ length: 10 }, (_, at) => `f${at}.txt`);
const files = Object.fromEntries(
  fileNames.map((name) => [name, big.map((line) => `${name} ${line}\n`).join("")]),
);
const read = (path: string, from?: number): ServedAnswer => ({
  calls: [
    {
      name: "read_file",
      args: {
        file_path: path,
        ...(from === undefined ? { limit: big.length } : { offset: from, limit: page }),
      },
    },
  ],
});

/** Four characters are a token; an answer may have as many as it asks for. */
function tokensOf({ text, body }: ReceivedRequest): number {
  // A cast: the server has looked at its shape.
  const { max_tokens = 0 } = body as { readonly max_tokens?: number };
  return Math.ceil(text.length / 4) + max_tokens;
}

const windowOf = (tokens: number) => (request: ReceivedRequest) => {
  const asked = tokensOf(request);
  return asked <= tokens
    ? undefined
    : `This model's maximum context length is ${tokens} tokens. However, you requested ${asked} tokens.`;
};

/** A stage whose model and summariser are asked over the wire. */
async function staged(server: ProviderServer, window?: number) {
  const port = { ...portTo(server), ...(window === undefined ? {} : { window: { tokens: window } }) };
  const summariser = summariserOf(port, () => "s");
  return openStage([], { model: port, summariser, system: () => "Instructions. ".repeat(900) }, files);
}

const noticesOf = ({ events }: Stage) =>
  events.flatMap((event) => (event.kind === "noticed" ? [event.text] : []));

const summary: ServedAnswer = { text: "## Task Overview\nFiles are read." };
/** What a model answers: a summary where it is asked for one, else the next of the script. */
function playedBy(server: ProviderServer, script: readonly ServedAnswer[]) {
  const left = [...script];
  server.onRequest = () => {
    const { text } = server.requests.at(-1) ?? { text: "" };
    server.play(text.includes("## Task Overview\\n(") ? summary : (left.shift() ?? { text: "Done." }));
  };
}

describe("a window of 16k tokens", () => {
  it.each([
    ["is known", 16_384, true],
    ["has to be learnt", undefined, true],
    ["is known, and the server counts nothing right", 16_384, false],
  ])("gets through ten files of 80 KB, read in pages, where it %s", async (_, known, counts) => {
    const server = await serve(chatWire, []);
    server.limit = windowOf(16_384);
    if (counts)
      server.meter = (body) => ({ total: Math.ceil(JSON.stringify(body).length / 4), cached: 0, written: 0 });
    const pages = fileNames.flatMap((name) =>
      Array.from({ length: Math.ceil(big.length / page) }, (_, at) => read(name, at * page + 1)),
    );
    playedBy(server, pages);
    const stage = await staged(server, known);
    expect(await stage.turn("Read all ten files.")).toMatchObject({ reason: "complete" });
    const shown = server.requests.map(({ text }) => text).join();
    for (const name of fileNames) expect(shown).toContain(`${name} 0999`);
    expect(server.requests.at(-1)?.text).toContain("Read all ten files.");
    const refusals = server.requests.filter((request) => tokensOf(request) > 16_384);
    expect(refusals.length).toBeLessThanOrEqual(counts && known !== undefined ? 0 : 2);
  });
});

describe("a prompt that is refused as too long", () => {
  it.each([anthropicWire, responsesWire, chatWire])(
    "is made smaller, and asked again, by $name",
    async (wire) => {
      const server = await serve(wire, []);
      server.limit = windowOf(66_000);
      playedBy(server, [read("f0.txt"), read("f1.txt"), read("f2.txt"), { text: "All read." }]);
      const stage = await staged(server);
      expect(await stage.turn("Read three.")).toMatchObject({ reason: "complete" });
      expect(noticesOf(stage).join()).toMatch(/66000 tokens.*cleared.*asked again/u);
      expect(server.requests.at(-1)?.text).toContain("Read three.");
    },
  );

  it("ends the turn with a sentence where nothing but the person's words is left", async () => {
    const server = await serve(chatWire, []);
    server.limit = windowOf(16_384);
    const stage = await staged(server);
    expect(await stage.turn("word ".repeat(20_000))).toMatchObject({
      reason: "failed",
      failure: { reason: "too_long" },
    });
    expect(server.requests.length).toBeLessThan(4);
    playedBy(server, []);
    expect(await stage.turn("And now?")).toMatchObject({ reason: "complete" });
  });
});

describe("what a provider does not take", () => {
  const png = { mimeType: "image/png", data: "iVBORw0KGgo=" };
  const look = (stage: Stage, text: string) =>
    stage.agent.turn(
      { text, staged: [{ kind: "user_message", text: "", media: [png] }] },
      { onEvent: (event) => stage.events.push(event) },
    );

  it.each([
    [
      400,
      "messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size",
    ],
    [413, "Request exceeds the maximum size"],
  ])("is one image that gives way to a sentence, at %i", async (status, says) => {
    const server = await serve(anthropicWire, []);
    const stage = await staged(server);
    server.play({ fault: { kind: "status", status, says } }, { text: "A cat." }, { text: "Two." });
    expect(await look(stage, "What is this?")).toMatchObject({ reason: "complete" });
    expect(noticesOf(stage).join()).toContain("image/png is left out from now on");
    expect(await stage.turn("1 + 1?")).toMatchObject({ reason: "complete" });
    expect(server.requests.map(({ text }) => text.includes(png.data))).toEqual([true, false, false]);
    expect(server.requests[2]?.text).toContain("image/png was left out here");
    expect(server.requests[2]?.text).toContain("What is this?");
  });

  it("are thoughts that it gave: they are left out, and what was said stays", async () => {
    const server = await serve(anthropicWire, [{ thought: "Hm.", text: "I looked." }]);
    const stage = await staged(server);
    await stage.turn("Look.");
    const says = "messages.1.content.0.thinking: each `thinking` block must contain non-whitespace thinking";
    server.play({ fault: { kind: "status", status: 400, says } }, { text: "Two." });
    expect(await stage.turn("1 + 1?")).toMatchObject({ reason: "complete" });
    expect(server.requests.map(({ text }) => text.includes('"thinking":"Hm."'))).toEqual([
      false,
      true,
      false,
    ]);
    expect(server.requests[2]?.text).toContain("I looked.");
    expect(noticesOf(stage).join()).toContain("The thoughts of the model are left out");
  });

  it.each([
    [geminiWire, "Thought signature is not valid."],
    [chatWire, "messages[1]: property 'reasoning_content' is unsupported"],
  ])("are signatures of calls, and thoughts in any words of a provider: $0.name", async (wire, says) => {
    const server = await serve(wire, [{ thought: "Hm.", ...read("f0.txt", 1) }]);
    server.limit = ({ text }) => (/"EqQB|reasoning_content/u.test(text) ? says : undefined);
    const stage = await staged(server);
    server.play({ text: "Two." });
    expect(await stage.turn("Look.")).toMatchObject({ reason: "complete", text: "Two." });
    expect(server.requests.at(-1)?.text).toContain("f0.txt 0000");
    expect(server.refused).toEqual([]);
  });
});

describe("/compact", () => {
  it("sums up in pieces what is longer than the window, also where the window is unknown", async () => {
    const server = await serve(chatWire, []);
    playedBy(server, [read("f0.txt"), read("f1.txt"), read("f2.txt"), { text: "Read." }]);
    const stage = await staged(server);
    await stage.turn("Read three.");
    server.limit = windowOf(16_384);
    expect(await stage.agent.compact()).toMatchObject({ kind: "compacted" });
    const pieces = server.requests.filter(({ text }) => text.includes("<part>"));
    expect(pieces.length).toBeGreaterThan(4);
    expect(pieces.at(-1)?.text).toContain("Files are read.");
    for (const name of ["f0.txt 0000", "f0.txt 0500", "f1.txt 0999"])
      expect(pieces.some(({ text }) => text.includes(name))).toBe(true);
    expect(await stage.turn("Go on.")).toMatchObject({ reason: "complete" });
  });

  it("works on a conversation that is shorter than what is kept otherwise", async () => {
    const server = await serve(chatWire, []);
    playedBy(server, [{ text: "word ".repeat(800) }, { text: "More." }]);
    const stage = await staged(server);
    await stage.turn("Tell me.");
    await stage.turn("And more?");
    expect(await stage.agent.compact()).toMatchObject({ kind: "compacted" });
  });
});

describe("an answer that is not whole", () => {
  it.each(wires)(
    "goes on where it used up its tokens, and is one text for a person, by $name",
    async (wire) => {
      const server = await serve(wire, [{ text: "It is", isCut: true }, { text: " a file." }]);
      const stage = await staged(server);
      expect(await stage.turn("What?")).toMatchObject({ reason: "complete", text: "It is a file." });
      expect(server.requests[1]?.text).toContain("Go on exactly where it ends");
      server.play({}, {}, {});
      expect(await stage.turn("Why?")).toMatchObject({
        reason: "incomplete",
        message: "The model answered nothing.",
      });
      expect([server.left, noticesOf(stage).at(-1)]).toEqual([
        1,
        "The model answered nothing; it is asked again.",
      ]);
    },
  );

  it("ends where it uses up its tokens again and again", async () => {
    const server = await serve(chatWire, Array(9).fill({ text: "word ", isCut: true }));
    const stage = await staged(server);
    expect(await stage.turn("Go.")).toMatchObject({ reason: "incomplete", steps: 4 });
  });
});
