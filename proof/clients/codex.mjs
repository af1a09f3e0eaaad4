import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPeers } from "../machine.mjs";
import { codexAnswers, codexTools, startScriptedCodex } from "./scripted-codex.mjs";

/** The version whose behaviour as a client was looked at; a newer one is tried by changing this line. */
export const codexVersion = "0.169.0";

/** @type {import("./any-client.mjs").Client} */
export const codex = {
  title: "Codex",
  version: codexVersion,
  setup: "codex",
  install: installCodex,
  startModel: startScriptedCodex,
  launch: (program, { home }, url) => ({
    file: process.execPath,
    args: [
      program,
      ...["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
      ...settings(url).flatMap((setting) => ["-c", setting]),
      "Please do as we said.",
    ],
    env: { CODEX_HOME: join(home, ".codex"), OPENAI_API_KEY: "none" },
  }),
  toolName: (server, tool) => `mcp__${server}__${tool}`,
  answers: (request) => codexAnswers(request).map(withoutTime),
  offered: (request) =>
    codexTools(request).map((tool) => ({
      name: tool.name ?? tool.type,
      description: tool.description ?? "",
      text: JSON.stringify(tool),
    })),
};

/** A model that the client has no metadata of: it defers no tools then, and cuts at its least. @param {string} url */
function settings(url) {
  return [
    'model="scripted"',
    'model_provider="scripted"',
    'model_providers.scripted.name="scripted"',
    `model_providers.scripted.base_url="${url}/v1"`,
    'model_providers.scripted.wire_api="responses"',
    'model_providers.scripted.env_key="OPENAI_API_KEY"',
  ];
}

/** The client puts a line with the time that the call took before the text. @param {string} answer */
function withoutTime(answer) {
  return answer.replace(/^Wall time: [^\n]*\nOutput:\n/, "");
}

/** @returns {import("./any-client.mjs").Installed} */
function installCodex() {
  const installed = installPeers("codex", { "@openai/codex": codexVersion });
  if (installed.kind === "missing") return installed;
  const program = join(installed.folder, "node_modules", "@openai", "codex", "bin", "codex.js");
  return existsSync(program)
    ? { kind: "installed", program }
    : { kind: "missing", reason: "the package has no program" };
}
