import { join } from "node:path";
import { called, installClient, writeInto } from "./any-client.mjs";
import { chatAnswers, chatTools, startScriptedChat } from "./scripted-chat.mjs";

/** The version whose behaviour as a client was looked at; a newer one is tried by changing this line. */
export const continueVersion = "1.5.47";

/** @type {import("./any-client.mjs").Client} */
export const continueCli = {
  title: "Continue CLI",
  version: continueVersion,
  setup: "continue",
  install: installContinue,
  startModel: startScriptedChat,
  settle: ({ home }, url) => writeInto(home, settingsFile, settings(url)),
  launch: (program, { home }) => ({
    file: process.execPath,
    args: [program, "-p", "Please do as we said.", "--config", join(home, settingsFile), "--auto"],
    env: { CONTINUE_TELEMETRY_ENABLED: "0" },
  }),
  own: (project) => ({
    // It reads whole files only.
    read: (file) => called("Read", { filepath: join(project, file) }),
    edit: (file, old_string, new_string) =>
      called("MultiEdit", { file_path: join(project, file), edits: [{ old_string, new_string }] }),
    write: (file, content) => called("Write", { filepath: join(project, file), content }),
    shell: (command) => called("Bash", { command }),
  }),
  toolName: (_, tool) => tool,
  answers: chatAnswers,
  offered: chatTools,
};

/** A person's own settings; servers have their place in it, too. */
export const settingsFile = ".continue/config.yaml";

/** @param {string} url */
function settings(url) {
  const model = `provider: openai\n    model: gpt-4o\n    apiBase: ${url}/v1\n    apiKey: none\n    capabilities: [tool_use, image_input]`;
  return `name: scripted\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: scripted\n    ${model}\n    roles: [chat]\n`;
}

function installContinue() {
  const path = ["@continuedev", "cli", "dist", "cn.js"];
  return installClient("continue", "@continuedev/cli", continueVersion, path);
}
