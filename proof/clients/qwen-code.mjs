import { join } from "node:path";
import { installPeers } from "../machine.mjs";
import { writeInto } from "./any-client.mjs";
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
  const installed = installPeers("qwen-code", { "@qwen-code/qwen-code": qwenVersion });
  if (installed.kind === "missing") return installed;
  const program = join(installed.folder, "node_modules", "@qwen-code", "qwen-code", "cli.js");
  return { kind: "installed", program };
}

/** It needs a newer Node than the oldest that we run on. @returns {import("./any-client.mjs").Installed} */
function newerNode() {
  if (Number(process.versions.node.split(".")[0]) >= 22)
    return { kind: "installed", program: process.execPath };
  const name = `node-${process.platform}-${process.arch}`;
  const installed = installPeers("newer-node", { [name]: newerNodeVersion });
  if (installed.kind === "missing") return installed;
  return { kind: "installed", program: join(installed.folder, "node_modules", name, "bin", "node") };
}
