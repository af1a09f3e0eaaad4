/**
 * Records the calls of a client of the official filesystem server, with its answers, into the test data of
 * packages/mcp: `node proof/compat/record.mjs`. It installs the server into the cache; a newer version is
 * recorded by changing the line below.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPeers } from "../machine.mjs";
import { calls, folder, losses } from "./calls.mjs";
import { playLoss, withSession } from "./session.mjs";

const officialServer = "@modelcontextprotocol/server-filesystem";
const version = "2026.8.31";

const installed = installPeers("filesystem-server", { [officialServer]: version });
if (installed.kind === "missing") throw new Error(installed.reason);
const entry = join(installed.folder, "node_modules", officialServer, "dist", "index.js");
const official = { command: process.execPath, args: (/** @type {string} */ root) => [entry, root] };

const session = await withSession(official, folder, async ({ root, client, call }) => {
  const { tools } = await client.listTools();
  const answers = [];
  for (const one of calls) answers.push(await call(one));
  const left = calls.length > 0 ? readFileSync(join(root, "src/shop.js"), "utf8") : "";
  return {
    tools: tools.map(({ name, inputSchema, annotations }) => ({
      name,
      properties: Object.keys(inputSchema.properties ?? {}).sort(),
      required: [...(inputSchema.required ?? [])].sort(),
      readOnly: annotations?.readOnlyHint,
    })),
    answers,
    left,
  };
});
const found = [];
for (const loss of losses) found.push(await playLoss(official, loss));

const target = fileURLToPath(new URL("../../addons/hosts/test/compat/recorded.json", import.meta.url));
const recording = { server: officialServer, version, ...session, losses: found };
writeFileSync(target, `${JSON.stringify(recording, null, 2)}\n`);
console.log(
  `${session.answers.length} calls and ${found.length} cases of loss recorded from ${officialServer} ${version}`,
);
