// A server process as `holdfast mcp` starts one, from the built packages: root, state folder, options.
// With `byClient` the workspace is the client's first root.
import { fileURLToPath } from "node:url";
import { Workspace } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { openPorts, openWorkspace } from "@holdfast/core/node";
import { serveMcp } from "@holdfast/mcp";

const [root, stateDir, given = "{}"] = process.argv.slice(2);
const { limits = {}, guards = {}, byClient = false, ...options } = JSON.parse(given);
const ports = await openPorts({ roots: [root], stateDir });
if (isRefusal(ports)) throw new Error(ports.message);
const openFor = (uris = []) =>
  openWorkspace({ roots: uris.length === 0 ? [root] : uris.slice(0, 1).map(fileURLToPath), stateDir });
await serveMcp({
  workspace: byClient ? openFor : new Workspace(ports, { limits, guards }),
  version: "1.2.3",
  onError: (error, where) => process.stderr.write(`${where}: ${error}\n`),
  ...options,
});
await ports.close();
