import { join } from "node:path";
import { called, installClient, platform, writeInto } from "./any-client.mjs";
import { chatAnswers, chatTools, startScriptedChat } from "./scripted-chat.mjs";

/** The version whose behaviour as a client was looked at; a newer one is tried by changing this line. */
export const qwenVersion = "0.24.4";
const newerNodeVersion = "24.21.0";

/** @type {import("./any-client.mjs").Client} */
export const qwenCode = {
  title: "Qwen Code",
  version: qwenVersion,
  setup: "qwen",
  install: installQwen,
  startModel: startScriptedChat,
  settle: ({ home }) => writeInto(home, settingsFile, JSON.stringify(settings)),
  launch: (program, _, url) => {
    const node = newerNode();
    if (node.kind === "missing") throw new Error(node.reason);
    return {
      file: node.program,
      args: [
        program,
        ...["--approval-mode", "yolo", "--auth-type", "openai", "--openai-api-key", "none"],
        ...["--openai-base-url", `${url}/v1`, "--model", model, "-o", "json"],
        "Please do as we said.",
      ],
      env: {},
    };
  },
  own: (project) => ({
    // It counts lines from 0.
    read: (file, lines) =>
      called("read_file", {
        file_path: join(project, file),
        ...(lines && { offset: lines.from - 1, limit: lines.count }),
      }),
    edit: (file, old_string, new_string) =>
      called("edit", { file_path: join(project, file), old_string, new_string }),
    write: (file, content) => called("write_file", { file_path: join(project, file), content }),
    shell: (command) =>
      called("run_shell_command", { command, description: "Runs it", is_background: false }),
  }),
  toolName: (server, tool) => `mcp__${server}__${tool}`,
  answers: chatAnswers,
  offered: chatTools,
};

/** By its name the client knows that it takes images; to others it sends a word in their place. */
const model = "qwen3-vl-plus";

/** A person's own settings, into which `holdfast setup` writes, too. */
export const settingsFile = ".qwen/settings.json";

const settings = {
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false },
};

/** @returns {import("./any-client.mjs").Installed} */
function installQwen() {
  const node = newerNode();
  if (node.kind === "missing") return node;
  const path = ["@qwen-code", "qwen-code", "cli.js"];
  return installClient("qwen-code", "@qwen-code/qwen-code", qwenVersion, path);
}

/** It needs a newer Node than the oldest that we run on. @returns {import("./any-client.mjs").Installed} */
function newerNode() {
  if (Number(process.versions.node.split(".")[0]) >= 22)
    return { kind: "installed", program: process.execPath };
  const name = `node-${platform}`;
  return installClient("newer-node", name, newerNodeVersion, [name, "bin", "node"]);
}
