import { fileURLToPath } from "node:url";
import { runClient, setUp, writeInto } from "./clients/any-client.mjs";
import { dayHosts, dayIn, probedClients } from "./hosts/measured.mjs";
import { image, pdf, secondParagraph, textOf } from "./hosts/probe-server.mjs";
import { built } from "./machine.mjs";
import { treeOf } from "./rooms.mjs";

/**
 * What a client lets through of a server's answers, held against its row of the table of hosts; and a day in each, beside
 * one with its own tools.
 *
 * @type {import("./contract.mjs").Part}
 */
export const part = { name: "hosts", title: "Hosts", run };

/** @typedef {import("./clients/any-client.mjs").Client} Client */
/** @typedef {import("./clients/any-client.mjs").Ground} Ground */
/** @typedef {import("./clients/any-client.mjs").Told} Told */

/** @param {import("./contract.mjs").RunOptions} options `only`: a part of a client's name. */
async function run({ quick, only = "", print }) {
  if (quick)
    return [{ figure: "H1", what: "each client's row", tried: 0, bad: {}, notHad: "left to the full run" }];
  /** @type {typeof import("@holdfast/mcp")} */
  const { hostOf, knownHosts } = await import(built.hosts);
  const rows = [];
  for (const client of probedClients) {
    const { title, version, install } = client;
    if (!title.toLowerCase().includes(only.toLowerCase())) continue;
    print(title);
    const host = knownHosts.find((one) => one.title === title);
    if (host === undefined) throw new Error(`no row of ${title}`);
    const what = `${title} ${version}`;
    const installed = install();
    if (installed.kind === "missing") {
      rows.push({ figure: "H1", what, tried: 0, bad: {}, notHad: installed.reason });
      continue;
    }
    const { program } = installed;
    rows.push({ figure: "H1", what, ...(await probe(client, program, host, hostOf)) });
    rows.push({
      figure: "H2",
      what: `${what} reads media of ours`,
      ...(await readMedia(client, program, host)),
    });
  }
  return [...rows, ...(await dayRows(only, print))];
}

/** @param {string} only @param {(line: string) => void} print */
async function dayRows(only, print) {
  const rows = [];
  for (const client of dayHosts.filter(({ title }) => title.toLowerCase().includes(only.toLowerCase()))) {
    print(`a day in ${client.title}`);
    const installed = client.install();
    if (installed.kind === "installed") rows.push(...(await dayIn(client, installed.program, print)));
    else rows.push({ figure: "H3", what: client.title, tried: 0, bad: {}, notHad: installed.reason });
  }
  return rows;
}

/**
 * @param {Client} client @param {string} program @param {import("@holdfast/mcp").Host} host
 * @param {(clientInfo: unknown) => import("@holdfast/mcp").Host} hostOf
 */
async function probe(client, program, host, hostOf) {
  const least = Math.min(host.answerChars, host.within?.bytes ?? host.answerChars);
  const sizes = [least, Math.ceil(least * 1.25), least * 2];
  const call = (/** @type {string} */ tool, count = 0) => [
    { call: client.toolName("holdfast", tool), args: { count } },
  ];
  const others = ["fail", "both", "who", "image", "pdf"];
  const turns = () => [
    ...sizes.map((size) => () => call("size", size)),
    ...others.map((tool) => () => call(tool)),
  ];
  return runClient(
    client,
    { program, files: {}, prepare: (ground) => setUpProbe(client, ground), turns },
    (told) => {
      const replies = told.requests.slice(1);
      const answers = replies.map((request) => client.answers(request).join("\n"));
      const whole = sizes.map((size, at) => answers[at]?.includes(textOf(size)) === true);
      const [error = "", both = "", who = ""] = answers.slice(sizes.length);
      const [sees, passes, name] = [seenOf(both), passesError(error), /name=(.*?);/.exec(who)?.[1] ?? ""];
      const media = mediaIn(replies.at(-2), replies.at(-1));
      const tool = client
        .offered(told.requests[0] ?? {})
        .find((one) => one.name === client.toolName("holdfast", "size"));
      return {
        tried: turns().length,
        bad: {
          "under another name than the row": hostOf({ name }).title === host.title ? 0 : 1,
          "not loaded at the first request": tool === undefined ? 1 : 0,
          "cut below the row": whole[0] === true ? 0 : 1,
          "another part than the row": sees === host.sees ? 0 : 1,
          "errors otherwise than in the row": passes === host.passesErrors ? 0 : 1,
          "other media than the row": media.join() === host.media.join() ? 0 : 1,
          "broken run": isWhole(told, turns().length) ? 0 : 1,
        },
        seen: [
          `calls itself ${name}`,
          sizes
            .map((size, at) => `${size.toLocaleString("en")} characters ${whole[at] ? "whole" : "cut"}`)
            .join(", "),
          `an error ${passes ? "as it is" : "reworded"}`,
          `sees ${sees}`,
          `hands on ${media.length === 0 ? "no media" : media.join(" and ")}`,
          `descriptions ${tool?.description.includes(secondParagraph) ? "whole" : "cut"}`,
        ].join("; "),
      };
    },
  );
}

/** What the model is sent of an image and a PDF that it reads through `holdfast mcp`. @param {Client} client @param {string} program @param {import("@holdfast/mcp").Host} host */
async function readMedia(client, program, host) {
  const files = { "a.png": Buffer.from(image, "base64"), "b.pdf": Buffer.from(pdf, "base64") };
  const turns = () =>
    Object.keys(files).map((file_path) => () => [
      { call: client.toolName("holdfast", "read_file"), args: { file_path } },
    ]);
  return runClient(client, { program, files, prepare: (ground) => setUp(client, ground), turns }, (told) => {
    const replies = told.requests.slice(1);
    const media = mediaIn(replies[0], replies[1]);
    const said = replies.map((request) => client.answers(request).join("\n"));
    const named = [/image\/png|PNG image/, /application\/pdf|PDF document/].map((words, at) =>
      words.test(said[at] ?? ""),
    );
    return {
      tried: turns().length,
      bad: {
        "other media than the row": media.join() === host.media.join() ? 0 : 1,
        "not told what it is": named.filter((one) => !one).length,
        "broken run": isWhole(told, turns().length) ? 0 : 1,
      },
      seen: `the model is sent ${media.length === 0 ? "a sentence" : media.join(" and ")}`,
    };
  });
}

/** The probe in the place of our server, as `holdfast setup` names that. @param {Client} client @param {Ground} ground */
function setUpProbe(client, ground) {
  setUp(client, ground);
  const probe = fileURLToPath(new URL("hosts/probe-server.mjs", import.meta.url));
  for (const [name, text] of Object.entries(treeOf(ground.home)))
    if (text.includes(built.cli)) writeInto(ground.home, name, text.replaceAll(built.cli, probe));
}

/** @param {Told} told @param {number} turns */
function isWhole({ exit, faults, requests }, turns) {
  return exit === 0 && faults.length === 0 && requests.length === turns + 1;
}

/** @param {string} answer @returns {import("@holdfast/mcp").Host["sees"]} */
function seenOf(answer) {
  const [text, structured] = [answer.includes("the text"), answer.includes("structured")];
  return text && structured ? "both" : structured ? "structured" : "text";
}

/** @param {string} answer */
function passesError(answer) {
  return answer.replace(/<system-reminder>[\s\S]*/, "").trim() === "FAILED (probe): as asked.";
}

/** The kinds that stand in the requests as what they are. @param {unknown} withImage @param {unknown} withPdf */
function mediaIn(withImage, withPdf) {
  return [...(holdsBlock(withImage, image) ? ["image"] : []), ...(holdsBlock(withPdf, pdf) ? ["pdf"] : [])];
}

/** Whether a member of its own is these bytes, also as a `data:` address; in a text they would be no block. @param {unknown} value @param {string} base64 @returns {boolean} */
function holdsBlock(value, base64) {
  if (typeof value === "string") return value === base64 || value.endsWith(`;base64,${base64}`);
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((one) => holdsBlock(one, base64));
}
