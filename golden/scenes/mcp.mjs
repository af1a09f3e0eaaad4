import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openProject } from "../ground.mjs";
import { play } from "../play.mjs";
import { openServer } from "../server.mjs";

/**
 * Each script of `scripts/mcp`, against servers of its own: a line `# FLAGS` starts one, `# FLAGS (CLIENT)` for a client of
 * that name, and what follows is played against it.
 *
 * @type {import("../run.mjs").Scene["default"]}
 */
export default async function mcp({ folder, house }) {
  const scripts = join(house, "golden/scripts/mcp");
  /** @type {Record<string, string>} */
  const files = {};
  for (const name of readdirSync(scripts)) {
    const ground = { folder: join(folder, name), house };
    const project = openProject(ground);
    const said = [];
    for (const part of readFileSync(join(scripts, name), "utf8").split(/^# /m).slice(1)) {
      const [head = "", ...lines] = part.split("\n");
      const [, flags = "", client = "golden"] = /^(.*?) *(?:\(([\w-]+)\))?$/.exec(head) ?? [];
      const server = await openServer(ground, { flags: flags.split(" ").filter(Boolean), client });
      await play(server, project, lines.join("\n"));
      said.push(await server.close());
    }
    files[`mcp-${name}`] = said.join("\n");
  }
  return files;
}
