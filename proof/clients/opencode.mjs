import { join } from "node:path";
import { called, installClient, platform, writeInto } from "./any-client.mjs";
import { chatAnswers, chatTools, startScriptedChat } from "./scripted-chat.mjs";

/** The version whose behaviour as a client was looked at; a newer one is tried by changing this line. */
export const opencodeVersion = "1.18.33";

/** @type {import("./any-client.mjs").Client} */
export const opencode = {
  title: "opencode",
  version: opencodeVersion,
  setup: "opencode",
  install: installOpencode,
  startModel: startScriptedChat,
  settle: ({ home }, url) => writeInto(home, settingsFile, JSON.stringify(settings(url))),
  launch: (program, { home }) => ({
    file: program,
    args: ["run", "--auto", "--format", "json", "--title", "story", "Please do as we said."],
    env: {
      XDG_CONFIG_HOME: join(home, ".config"),
      XDG_DATA_HOME: join(home, ".local/share"),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    },
  }),
  own: (project) => ({
    read: (file, lines) =>
      called("read", {
        filePath: join(project, file),
        ...(lines && { offset: lines.from, limit: lines.count }),
      }),
    edit: (file, oldString, newString) =>
      called("edit", { filePath: join(project, file), oldString, newString }),
    write: (file, content) => called("write", { filePath: join(project, file), content }),
    shell: (command) => called("bash", { command, description: "Runs it" }),
  }),
  toolName: (server, tool) => `${server}_${tool}`,
  answers: chatAnswers,
  offered: chatTools,
};

/** A person's own settings, into which `holdfast setup` writes, too. */
export const settingsFile = ".config/opencode/opencode.json";

/** No sharing, no update, and the scripted model, which can take images. @param {string} url */
function settings(url) {
  const model = {
    name: "scripted",
    tool_call: true,
    attachment: true,
    modalities: { input: ["text", "image", "pdf"], output: ["text"] },
    limit: { context: 1_000_000, output: 8_000 },
  };
  const provider = {
    npm: "@ai-sdk/openai-compatible",
    name: "scripted",
    options: { baseURL: `${url}/v1`, apiKey: "none" },
    models: { scripted: model },
  };
  return {
    $schema: "https://opencode.ai/config.json",
    share: "disabled",
    autoupdate: false,
    model: "scripted/scripted",
    small_model: "scripted/scripted",
    provider: { scripted: provider },
  };
}

function installOpencode() {
  return installClient("opencode", "opencode-ai", opencodeVersion, [
    `opencode-${platform}`,
    "bin",
    "opencode",
  ]);
}
