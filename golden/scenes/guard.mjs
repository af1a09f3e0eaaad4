import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openProject } from "../ground.mjs";
import { play } from "../play.mjs";
import { framed } from "../server.mjs";

const events = {
  claude: { before: "PreToolUse", after: "PostToolUse" },
  gemini: { before: "BeforeTool", after: "AfterTool" },
};

/**
 * The hooks of both hosts: what is sent to `holdfast guard` and what it answers, each part of the script in a session of
 * its own. A call is `before:TOOL` or `after:TOOL`; another name is an event that is no tool's.
 *
 * @type {import("../run.mjs").Scene["default"]}
 */
export default async function guard({ folder, house }) {
  /** @type {string[]} */
  const said = [];
  const env = { ...process.env, HOLDFAST_STATE_DIR: join(folder, "state") };
  const parts = readFileSync(join(house, "golden/scripts/guard.txt"), "utf8").split(/^# /m).slice(1);
  for (const part of parts) {
    const [head = "", ...lines] = part.split("\n");
    const [host = "", ...flags] = head.split(" ");
    const project = openProject({ folder: join(folder, head), house });
    const hook = [join(house, "packages/cli/bin/holdfast.js"), "guard", ...flags];
    /** @param {...import("../server.mjs").Call} calls */
    const call = async (...calls) => {
      for (const [name, { response, ...tool_input }] of calls) {
        const [when = "", tool_name] = name.split(":");
        const hook_event_name =
          events[host === "claude" ? "claude" : "gemini"][when === "before" ? "before" : "after"];
        const session = { session_id: head, cwd: project.root };
        const event =
          when === "after"
            ? { hook_event_name, tool_name, tool_input, tool_response: response ?? {} }
            : { hook_event_name, tool_name, tool_input };
        const input =
          tool_name === undefined
            ? `{"hook_event_name":"${name}"}`
            : JSON.stringify({ ...session, ...event });
        const run = spawnSync(process.execPath, hook, { cwd: project.root, env, input, encoding: "utf8" });
        said.push(`> ${input}`, run.stdout === "" ? "< nothing" : framed(run.stdout));
        if (run.status !== 0) said.push(`< exit code ${run.status}`, framed(run.stderr));
      }
    };
    said.push("", `# holdfast guard ${flags.join(" ")} (${host})`);
    await play({ call, say: (heading) => void said.push(`## ${heading}`) }, project, lines.join("\n"));
  }
  return { "guard.txt": `${said.join("\n")}\n` };
}
