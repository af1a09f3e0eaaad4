import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/**
 * A session of a client with a filesystem server: the same for the official one and for ours.
 *
 * @typedef {{ readonly command: string, args(root: string): readonly string[] }} ServerProgram
 * @typedef {{ readonly isError: boolean, readonly content: readonly unknown[], readonly structured?: unknown }} Answer
 * @typedef {import("./calls.mjs").Call} Call
 */

/**
 * Opens a session on a fresh folder, and removes the folder after it.
 *
 * @template Result
 * @param {ServerProgram} program
 * @param {Readonly<Record<string, string | Uint8Array>>} files
 * @param {(session: { readonly root: string, readonly client: Client, call(call: Call): Promise<Answer> }) => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withSession(program, files, work) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-compat-")));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    // Strings stand for bytes here, so that a test of bytes can be written as data.
    writeFileSync(join(root, name), typeof content === "string" ? Buffer.from(content, "latin1") : content);
  }
  const client = new Client({ name: "compat", version: "1" }, { versionNegotiation: { mode: "legacy" } });
  try {
    const transport = new StdioClientTransport({
      command: program.command,
      args: [...program.args(root)],
      stderr: "ignore",
    });
    await client.connect(transport);
    return await work({ root, client, call: (call) => send(client, root, call) });
  } finally {
    await client.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** @param {Client} client @param {string} root @param {Call} call @returns {Promise<Answer>} */
async function send(client, root, call) {
  const args = replaced(call.arguments, "{root}", root);
  try {
    const result = await client.callTool({ name: call.name, arguments: args });
    const structured = replaced(result.structuredContent, root, "{root}");
    return {
      isError: result.isError === true,
      content: replaced(result.content, root, "{root}"),
      ...(structured === undefined ? {} : { structured }),
    };
  } catch (error) {
    return { isError: true, content: [{ type: "text", text: String(error) }] };
  }
}

/** @param {any} value @param {string} from @param {string} to @returns {any} */
function replaced(value, from, to) {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value).replaceAll(from, to));
}

/**
 * What became of one case of loss, and whether the client was told of a success.
 *
 * @param {ServerProgram} program
 * @param {import("./calls.mjs").LossCase} loss
 * @returns {Promise<{ readonly bytes: string, readonly told: readonly boolean[] }>}
 */
export function playLoss(program, loss) {
  return withSession(program, { "a.txt": Buffer.from(loss.bytes, "base64") }, async ({ root, call }) => {
    const file = join(root, "a.txt");
    if (loss.read) await call({ name: "read_text_file", arguments: { path: "{root}/a.txt" } });
    if (loss.meanwhile !== undefined) writeFileSync(file, Buffer.from(loss.meanwhile, "base64"));
    /** @type {Answer[]} */
    const answers = [];
    if (loss.together === true) answers.push(...(await Promise.all(loss.calls.map(call))));
    else for (const one of loss.calls) answers.push(await call(one));
    return { bytes: readFileSync(file).toString("base64"), told: answers.map(({ isError }) => !isError) };
  });
}
