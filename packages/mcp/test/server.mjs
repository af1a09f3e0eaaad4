// A server process as `holdfast mcp` starts one, from the built packages: root, state folder, options.
import { isRefusal, Workspace } from "@holdfast/core";
import { openPorts } from "@holdfast/core/node";
import { serveMcp } from "@holdfast/mcp";

const [root, stateDir, given = "{}"] = process.argv.slice(2);
const { limits = {}, guards = {}, ...options } = JSON.parse(given);
const ports = await openPorts({ roots: [root], stateDir });
if (isRefusal(ports)) throw new Error(ports.message);
await serveMcp({
  workspace: new Workspace(ports, { limits, guards }),
  version: "1.2.3",
  onError: (error, where) => process.stderr.write(`${where}: ${error}\n`),
  ...options,
});
await ports.close();
