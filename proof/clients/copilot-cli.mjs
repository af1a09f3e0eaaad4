import { existsSync } from "node:fs";
import { join } from "node:path";
import { called, installClient, platform } from "./any-client.mjs";
import { chatAnswers, chatTools, startScriptedChat } from "./scripted-chat.mjs";

/** The version whose behaviour as a client was looked at; a newer one is tried by changing this line. */
export const copilotVersion = "1.0.102";

/** @type {import("./any-client.mjs").Client} */
export const copilotCli = {
  title: "GitHub Copilot CLI",
  version: copilotVersion,
  setup: "copilot",
  install: installCopilot,
  startModel: startScriptedChat,
  // With a provider of one's own it asks for no sign-in; offline it makes no other connection.
  launch: (program, { home }, url) => ({
    file: program,
    args: ["-p", "Please do as we said.", "--allow-all-tools", "--log-level", "none", "--no-color"],
    env: {
      COPILOT_HOME: join(home, ".copilot"),
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "none",
      COPILOT_MODEL: "scripted",
      COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "900000",
      COPILOT_PROVIDER_MAX_OUTPUT_TOKENS: "8000",
    },
  }),
  own: (project) => ({
    read: (file, lines) =>
      called("view", { path: join(project, file), ...(lines && { view_range: [lines.from, lines.to] }) }),
    edit: (file, old_str, new_str) => called("edit", { path: join(project, file), old_str, new_str }),
    // `create` takes no file that is there.
    write: (file, file_text) =>
      existsSync(join(project, file))
        ? called("bash", { command: `cat > ${file} <<'END'\n${file_text}END`, description: "Runs it" })
        : called("create", { path: join(project, file), file_text }),
    shell: (command) => called("bash", { command, description: "Runs it" }),
  }),
  toolName: (server, tool) => `${server}-${tool}`,
  answers: chatAnswers,
  offered: chatTools,
};

function installCopilot() {
  const path = ["@github", `copilot-${platform}`, "copilot"];
  return installClient("copilot-cli", "@github/copilot", copilotVersion, path);
}
