import { join } from "node:path";
import { SpillFiles, withoutSecrets } from "@holdfast/agent/host";
import { folder } from "../../../packages/agent/test/host/ground.js";
import { afterThisTest } from "../../../test/cleanups.js";
import { openMcpServers, type ServersOptions } from "../src/index.js";

/** The servers of a session, with the time that a busy machine needs, and a folder of their own. */
export async function open(
  servers: ServersOptions["servers"],
  more: Partial<ServersOptions> = {},
  after = afterThisTest,
) {
  const root = await folder(after);
  const environment = withoutSecrets({ own: { ...process.env, MY_API_KEY: "hidden" } });
  const client = { name: "holdfast", version: "0.1.0" };
  const spilled = new SpillFiles(join(root, "tmp"));
  const opened = openMcpServers({
    ...{ roots: [root], environment, servers, client, spilled, startMs: 120_000 },
    ...more,
  });
  after(() => opened.close());
  return { opened, root };
}
