import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { called, installClient, offeredOf, relaunched } from "./any-client.mjs";
import { codexAnswers, codexTools, scriptAnswers, startScriptedCodex } from "./scripted-codex.mjs";

/** The version whose behaviour as a client was looked at; a newer one is tried by changing this line. */
export const codexVersion = "0.171.0";

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
  offered: (request) => offeredOf(codexTools(request)),
};

/**
 * The client as it comes: its default model says its calls in JavaScript, and finds the tools of servers by a search.
 *
 * @type {import("./any-client.mjs").Client}
 */
export const codexInCode = {
  ...relaunched(codex, ([program = "", exec = "", anyhow = "", , ...args]) => [
    ...[program, exec, anyhow, "--sandbox", "workspace-write"],
    ...args.slice(args.indexOf('model="scripted"') + 1),
  ]),
  settle: ({ home }) => {
    mkdirSync(join(home, ".codex"), { recursive: true });
  },
  own: () => ({
    read: (file, lines) =>
      called("exec_command", { cmd: lines ? `sed -n '${lines.from},${lines.to}p' ${file}` : `cat ${file}` }),
    edit: (file, old, next) => patched(`Update File: ${file}\n@@\n-${old}\n+${next}\n`),
    write: (file, content) => patched(`Add File: ${file}\n${content.trimEnd().replaceAll(/^/gm, "+")}\n`),
    shell: (cmd) => called("exec_command", { cmd }),
    image: (path) => called("view_image", { path }),
    search: called("exec", { script: "ALL_TOOLS.filter(({ name }) => /holdfast/.test(name))" }),
  }),
  phrase: (calls) => [called("exec", { script: scriptOf(calls) })],
  answers: scriptAnswers,
};

/** @param {string} change of one file */
function patched(change) {
  return called("apply_patch", { patch: `*** Begin Patch\n*** ${change}*** End Patch\n` });
}

/** One script that makes all the calls and prints each result once. @param {readonly import("./any-client.mjs").Part[]} calls */
function scriptOf(calls) {
  const said = calls.map((part) => {
    if ("text" in part) return JSON.stringify(part.text);
    const { patch, script, ...args } = part.args;
    return script ?? `tools.${part.call}(${JSON.stringify(patch ?? args)})`;
  });
  return [
    `const all = await Promise.all([${said.join(", ")}]);`,
    'for (const r of all) for (const p of r.content ?? [r]) p.type === "image" || p.image_url ? image(p) : text(p.text ?? p.output ?? p);',
  ].join("\n");
}

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

function installCodex() {
  return installClient("codex", "@openai/codex", codexVersion, ["@openai", "codex", "bin", "codex.js"]);
}
