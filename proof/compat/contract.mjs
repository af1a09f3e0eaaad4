import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/**
 * What clients may rely on in a filesystem server, by the documentation of the official one: each server passes all of
 * it, or is none. It says nothing of what the two do differently on purpose (docs/compat.md).
 *
 * @typedef {{ readonly name: string, args(folders: readonly string[], stateDir: string): readonly string[] }} ContractProgram
 * @typedef {{ readonly name: string, transport(folders: readonly string[], stateDir: string): Promise<Transport> }} ContractServer
 *   a server that is no program of its own: it is held to all but what is said `ofProgram`
 * @typedef {import("@modelcontextprotocol/client").Transport} Transport
 * @typedef {{ readonly text: string, readonly isError: boolean, readonly item: any, readonly structured: any }} Answer
 * @typedef {object} Ground
 * @property {string} root a folder that is there, with the files of `files`
 * @property {string} top what holds it, and is not allowed
 * @property {(folders?: readonly string[]) => Promise<Session>} open
 * @property {(folders: readonly string[]) => Promise<{ readonly code: number | null, readonly told: string }>} start
 *   starts it with its input closed at once, until it ends
 * @typedef {object} Session
 * @property {Client} client
 * @property {(name: string, args?: Record<string, unknown>) => Promise<Answer>} call
 * @property {() => string} told what it said on stderr so far
 * @typedef {{ readonly name: string, readonly ofProgram?: true, check(ground: Ground): Promise<void> }} Promised
 */

/** Ours, as built. @type {ContractProgram} */
export const ours = {
  name: "holdfast",
  args: (folders, stateDir) => [
    fileURLToPath(new URL("../../packages/cli/bin/holdfast.js", import.meta.url)),
    ...["mcp", "--compat", "filesystem", "--state-dir", stateDir],
    ...folders.flatMap((folder) => ["--root", folder]),
  ],
};

/** @param {string} entry its program @returns {ContractProgram} */
export const official = (entry) => ({ name: "official", args: (folders) => [entry, ...folders] });

/** @type {Readonly<Record<string, string>>} */
const files = {
  "a.txt": "one\ntwo\nthree\nfour\n",
  "b.txt": "other\n",
  "src/x.js": "let x = 1;\n",
  "src/deep/y.js": "let y = 2;\n",
  "picture.png": "\u0089PNG",
  "sound.mp3": "ID3",
  "data.bin": "\u0000\u0001",
};

/** @type {readonly Promised[]} */
export const contract = [
  {
    name: "ends with code 1 where none of its folders is there, and says so",
    ofProgram: true,
    async check({ top, start }) {
      const { code, told } = await start([join(top, "none"), join(top, "nowhere")]);
      assert.equal(code, 1);
      assert.match(told, /None of the specified directories are accessible/);
    },
  },
  {
    name: "ends with code 1 where a file is its only folder",
    ofProgram: true,
    async check({ root, start }) {
      const { code, told } = await start([join(root, "a.txt")]);
      assert.equal(code, 1);
      assert.match(told, /a\.txt is not a directory, skipping/);
    },
  },
  {
    name: "goes on without a folder that is not there, and warns",
    ofProgram: true,
    async check({ root, top, open }) {
      const { call, told } = await open([join(top, "none"), root]);
      const { text } = await call("list_allowed_directories");
      assert.ok(text.includes(root) && !text.includes("none"), text);
      assert.match(told(), /Warning: Cannot access directory .*none, skipping/);
    },
  },
  {
    name: "goes on without a folder that is a file, and warns",
    ofProgram: true,
    async check({ root, open }) {
      const { call, told } = await open([join(root, "a.txt"), join(root, "src")]);
      assert.equal((await call("read_text_file", { path: join(root, "src/x.js") })).text, "let x = 1;\n");
      assert.ok((await call("read_text_file", { path: join(root, "a.txt") })).isError);
      assert.match(told(), /Warning: .*a\.txt is not a directory, skipping/);
    },
  },
  {
    name: "works in several folders",
    async check({ root, top, open }) {
      mkdirSync(join(top, "second"));
      writeFileSync(join(top, "second/z.txt"), "z\n");
      const { call } = await open([root, join(top, "second")]);
      assert.equal((await call("read_text_file", { path: join(top, "second/z.txt") })).text, "z\n");
      assert.equal((await call("read_text_file", { path: join(root, "b.txt") })).text, "other\n");
    },
  },
  {
    name: "describes what every tool answers with, and answers so",
    async check({ root, open }) {
      const { client, call } = await open();
      const { tools } = await client.listTools();
      for (const { name, outputSchema } of tools) {
        /** @type {any} */
        const { type, required, properties } = outputSchema ?? {};
        assert.deepEqual([name, type, required], [name, "object", ["content"]]);
        assert.equal(properties.content.type, name === "read_media_file" ? "array" : "string", name);
      }
      // The client holds each answer against the schema, and throws where it does not fit.
      for (const path of ["picture.png", "sound.mp3", "data.bin"])
        await call("read_media_file", { path: join(root, path) });
      const { text, structured } = await call("read_text_file", { path: join(root, "b.txt") });
      assert.deepEqual([text, structured], ["other\n", { content: "other\n" }]);
    },
  },
  {
    name: "describes media as image, audio or resource, and no other block",
    async check({ open }) {
      const { tools } = await (await open()).client.listTools();
      /** @type {any} */
      const output = tools.find(({ name }) => name === "read_media_file")?.outputSchema;
      const kinds = output.properties.content.items.anyOf.map((/** @type {any} */ { properties }) => {
        const { enum: several, const: one } = properties.type;
        return several ?? [one];
      });
      assert.deepEqual(kinds.flat().sort(), ["audio", "image", "resource"]);
    },
  },
  {
    name: "sends images, sounds and other bytes as blocks of their own kinds",
    async check({ root, open }) {
      const { call } = await open();
      const media = async (/** @type {string} */ name) => {
        const { item, structured } = await call("read_media_file", { path: join(root, name) });
        assert.deepEqual(structured, { content: [item] });
        return item;
      };
      const base64 = (/** @type {string} */ text) => Buffer.from(text, "latin1").toString("base64");
      assert.deepEqual(await media("picture.png"), {
        type: "image",
        data: base64("\u0089PNG"),
        mimeType: "image/png",
      });
      assert.deepEqual(await media("sound.mp3"), {
        type: "audio",
        data: base64("ID3"),
        mimeType: "audio/mpeg",
      });
      const { type, resource } = await media("data.bin");
      assert.deepEqual([type, resource.blob], ["resource", base64("\u0000\u0001")]);
      assert.equal(resource.mimeType, "application/octet-stream");
      assert.ok(resource.uri.startsWith("file:///"), resource.uri);
    },
  },
  {
    name: "reads the first or the last lines, not both",
    async check({ root, open }) {
      const { call } = await open();
      const path = join(root, "a.txt");
      assert.equal((await call("read_text_file", { path, head: 2 })).text, "one\ntwo");
      assert.ok((await call("read_text_file", { path, tail: 2 })).text.includes("four"));
      assert.ok((await call("read_text_file", { path, head: 1, tail: 1 })).isError);
    },
  },
  {
    name: "reads several files, also where one of them is not there",
    async check({ root, open }) {
      const { call } = await open();
      const paths = ["b.txt", "none.txt", "src/x.js"].map((name) => join(root, name));
      const { text, isError } = await call("read_multiple_files", { paths });
      assert.ok(!isError && text.includes("other\n") && text.includes("let x = 1;"), text);
      assert.match(text, /none\.txt: Error/);
    },
  },
  {
    name: "lets nobody out of its folders, by dots or by links",
    async check({ root, top, open }) {
      writeFileSync(join(top, "secret.txt"), "secret\n");
      symlinkSync("../secret.txt", join(root, "link.txt"));
      const { call } = await open();
      for (const path of [join(top, "secret.txt"), `${root}/../secret.txt`, join(root, "link.txt")]) {
        const { isError, text } = await call("read_text_file", { path });
        assert.ok(isError && !text.includes("secret\n"), path);
        assert.ok((await call("write_file", { path, content: "x" })).isError, path);
      }
      assert.equal(readFileSync(join(top, "secret.txt"), "utf8"), "secret\n");
    },
  },
  {
    name: "makes folders with those above them, and is content with one that is there",
    async check({ root, open }) {
      const { call } = await open();
      const path = join(root, "new/er/est");
      for (let time = 0; time < 2; time++) assert.ok(!(await call("create_directory", { path })).isError);
      assert.ok(existsSync(path));
    },
  },
  {
    name: "lists a folder, with sizes, as a tree and by a glob",
    async check({ root, open }) {
      const { call } = await open();
      const { text: listed } = await call("list_directory", { path: root });
      assert.ok(listed.includes("[FILE] a.txt") && listed.includes("[DIR] src"), listed);
      const { text: sized } = await call("list_directory_with_sizes", { path: root, sortBy: "size" });
      assert.match(sized, /Total: 5 files, 1 directories/);
      const { text } = await call("directory_tree", { path: root, excludePatterns: ["deep"] });
      const src = JSON.parse(text).find((/** @type {any} */ { name }) => name === "src");
      assert.deepEqual(src, { name: "src", type: "directory", children: [{ name: "x.js", type: "file" }] });
      const { text: found } = await call("search_files", { path: root, pattern: "**/*.js" });
      assert.deepEqual(found.split("\n").sort(), [join(root, "src/deep/y.js"), join(root, "src/x.js")]);
    },
  },
  {
    name: "shows what an edit would do, does it, and refuses one that does not fit",
    async check({ root, open }) {
      const { call } = await open();
      const path = join(root, "a.txt");
      await call("read_text_file", { path });
      const edits = [{ oldText: "two", newText: "2" }];
      const shown = await call("edit_file", { path, edits, dryRun: true });
      assert.ok(shown.text.includes("-two") && shown.text.includes("+2"), shown.text);
      assert.equal(readFileSync(path, "utf8"), files["a.txt"]);
      assert.ok(!(await call("edit_file", { path, edits })).isError);
      assert.equal(readFileSync(path, "utf8"), "one\n2\nthree\nfour\n");
      assert.ok((await call("edit_file", { path, edits })).isError);
    },
  },
  {
    name: "moves a file, and never onto another",
    async check({ root, open }) {
      const { call } = await open();
      const [source, destination] = [join(root, "b.txt"), join(root, "src/b.txt")];
      assert.ok((await call("move_file", { source, destination: join(root, "a.txt") })).isError);
      assert.ok(!(await call("move_file", { source, destination })).isError);
      assert.deepEqual([existsSync(source), existsSync(destination)], [false, true]);
    },
  },
  {
    name: "tells what is known of a file",
    async check({ root, open }) {
      const { text } = await (await open()).call("get_file_info", { path: join(root, "b.txt") });
      for (const fact of ["size: 6", "created: ", "modified: ", "isFile: true", "isDirectory: false"])
        assert.ok(text.includes(fact), `${fact} in ${text}`);
    },
  },
  {
    name: "answers a wrong call by an error, and goes on",
    async check({ root, open }) {
      const { call } = await open();
      assert.ok((await call("read_text_file", {})).isError);
      assert.ok((await call("read_text_file", { path: join(root, "none.txt") })).isError);
      assert.equal((await call("read_text_file", { path: join(root, "b.txt") })).text, "other\n");
    },
  },
];

/**
 * Holds one server to one promise.
 *
 * @param {ContractProgram | ContractServer} server
 * @param {Promised} promised
 */
export async function hold(server, { check }) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-contract-")));
  const root = join(top, "root");
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content, "latin1");
  }
  /** @type {Client[]} */
  const clients = [];
  const stateDir = join(top, "state");
  try {
    await check({
      root,
      top,
      start: (folders) => {
        if (!("args" in server)) throw new Error(`${server.name} is no program`);
        return untilItEnds(server.args(folders, stateDir));
      },
      open: async (folders = [root]) => {
        const session = await connect(
          "args" in server
            ? startProgram(server.args(folders, stateDir))
            : await server.transport(folders, stateDir),
        );
        clients.push(session.client);
        return session;
      },
    });
  } finally {
    for (const client of clients) await client.close();
    rmSync(top, { recursive: true, force: true });
  }
}

/** @param {readonly string[]} args */
function startProgram(args) {
  return new StdioClientTransport({ command: process.execPath, args: [...args], stderr: "pipe" });
}

/** @param {Transport} transport @returns {Promise<Session>} */
async function connect(transport) {
  const client = new Client({ name: "contract", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  let said = "";
  const stderr = transport instanceof StdioClientTransport ? transport.stderr : null;
  stderr?.on("data", (piece) => {
    said += String(piece);
  });
  await client.connect(transport);
  await client.listTools();
  return { client, told: () => said, call: (name, given = {}) => send(client, name, given) };
}

/** @param {Client} client @param {string} name @param {Record<string, unknown>} given @returns {Promise<Answer>} */
async function send(client, name, given) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: given });
  const [item] = content;
  const text = item?.type === "text" ? item.text : "";
  return { text, item, structured: structuredContent, isError: isError === true };
}

/** @param {readonly string[]} args @returns {Promise<{ readonly code: number | null, readonly told: string }>} */
function untilItEnds(args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { stdio: ["pipe", "ignore", "pipe"] });
    let told = "";
    child.stderr.on("data", (piece) => {
      told += String(piece);
    });
    child.on("close", (code) => resolve({ code, told }));
    child.stdin.end();
  });
}
