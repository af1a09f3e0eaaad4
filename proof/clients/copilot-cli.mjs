import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPeers } from "../machine.mjs";
import { chatAnswers, chatTools, startScriptedChat } from "./scripted-chat.mjs";

/** The version whose behaviour as a client was looked at; a newer one is tried by changing this line. */
export const copilotVersion = "1.0.102";

/** @type {import("./any-client.mjs").Client} */
export const copilotCli = {
  title: "GitHub Copilot CLI",
  version: copilotVersion,
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
  toolName: (server, tool) => `${server}-${tool}`,
  answers: chatAnswers,
  offered: chatTools,
};

/** Where its own settings name servers: it has no place in `holdfast setup`. */
export const serversFile = ".copilot/mcp-config.json";

/** @returns {import("./any-client.mjs").Installed} */
function installCopilot() {
  const installed = installPeers("copilot-cli", { "@github/copilot": copilotVersion });
  if (installed.kind === "missing") return installed;
  const name = `copilot-${process.platform}-${process.arch}`;
  const program = join(installed.folder, "node_modules", "@github", name, "copilot");
  return existsSync(program)
    ? { kind: "installed", program }
    : { kind: "missing", reason: `no program for ${process.platform} ${process.arch}` };
}
