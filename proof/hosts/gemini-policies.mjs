import { join } from "node:path";
import { geminiCli } from "../clients/gemini-cli.mjs";
import { qwenCode } from "../clients/qwen-code.mjs";
import { all, atHome, both, folders, inProject, plus, policy, readable, swapped } from "./policy-steps.mjs";

/** @typedef {import("../clients/any-client.mjs").Ground} Ground @typedef {import("./refusals.mjs").Policy} Policy */

const geminiFile = ".gemini/settings.json";
const qwenFile = ".qwen/settings.json";
const unread = "what may not be read may not be written";

/** @type {readonly Policy[]} */
export const gemini = [
  {
    what: "`.gitignore`, also in a folder",
    denied: { read: ["private/plan.txt", "sub/deep/x.log"] },
    free: readable,
    rules: both(inProject(".gitignore", "private/\n"), inProject("sub/.gitignore", "*.log\n")),
  },
  {
    what: "`.gitignore` that does not count",
    denied: {},
    free: { read: ["private/plan.txt"] },
    rules: both(
      inProject(".gitignore", "private/\n"),
      atHome(geminiFile, { context: { fileFiltering: { respectGitIgnore: false } } }),
    ),
  },
  {
    what: "`.geminiignore`",
    denied: { read: ["private/plan.txt"] },
    free: readable,
    rules: inProject(".geminiignore", "private/\n"),
  },
  {
    what: "`customIgnoreFilePaths`",
    denied: { read: ["private/plan.txt"] },
    free: readable,
    rules: both(
      inProject("my.ignore", "private/\n"),
      atHome(geminiFile, { context: { fileFiltering: { customIgnoreFilePaths: ["my.ignore"] } } }),
    ),
  },
  {
    what: "what it takes for outside",
    denied: { read: [".env", "node_modules/x.txt"] },
    free: { read: ["a.env"] },
  },
  {
    what: "`policyPaths`",
    denied: all,
    free: readable,
    rules: both(
      atHome("pol.toml", policy("deny", "write_file", "replace")),
      atHome(geminiFile, { policyPaths: ["HOME/pol.toml"] }),
    ),
  },
  {
    what: "a folder in `policyPaths`, read_file",
    denied: readable,
    stricter: unread,
    rules: both(
      atHome("pols/p.toml", policy("deny", "read_file")),
      atHome(geminiFile, { policyPaths: ["HOME/pols"] }),
    ),
  },
  {
    what: "policies of the person",
    denied: all,
    free: readable,
    rules: atHome(".gemini/policies/p.toml", policy("deny", "write_file", "replace")),
  },
  {
    what: 'a policy with `toolName = "*"`',
    denied: { ...readable, ...all },
    rules: atHome(".gemini/policies/p.toml", policy("deny", "*")),
  },
  {
    what: "a policy about `replace` alone: write_file is left",
    denied: {},
    free: { write: ["src/"] },
    rules: atHome(".gemini/policies/p.toml", policy("deny", "replace")),
  },
  {
    what: "a policy that asks",
    denied: all,
    free: readable,
    rules: atHome(".gemini/policies/p.toml", policy("ask_user", "write_file", "replace")),
  },
  {
    what: "a policy that asks, after the setup",
    denied: all,
    free: readable,
    after: atHome(".gemini/policies/p.toml", policy("ask_user", "write_file", "replace")),
  },
  {
    what: "policies of the workspace, which it does not read",
    denied: {},
    free: { write: ["src/"] },
    rules: inProject(".gemini/policies/p.toml", policy("deny", "write_file", "replace")),
  },
  {
    what: "`argsPattern` about a path",
    denied: { write: ["locked/"] },
    free: { write: ["src/"] },
    rules: atHome(
      ".gemini/policies/p.toml",
      policy("deny", "write_file", "replace").replaceAll("decision", 'argsPattern = "locked/"\ndecision'),
    ),
  },
  {
    what: "`--policy`",
    denied: all,
    free: readable,
    rules: atHome("pol.toml", policy("deny", "write_file", "replace")),
    args: (/** @type {readonly string[]} */ args, /** @type {Ground} */ { home }) => [
      ...args,
      "--policy",
      join(home, "pol.toml"),
    ],
  },
  {
    what: "`tools.core`",
    denied: all,
    rules: atHome(geminiFile, { tools: { core: ["read_file", "list_directory"] } }),
  },
  {
    what: '`tools.exclude: ["replace"]`: write_file is left',
    denied: {},
    free: { write: ["src/"] },
    rules: atHome(geminiFile, { tools: { exclude: ["replace"] } }),
  },
  {
    what: "`tools.exclude` of both",
    denied: all,
    free: readable,
    rules: atHome(geminiFile, { tools: { exclude: ["replace", "write_file"] } }),
  },
  {
    what: "`tools.confirmationRequired`",
    denied: all,
    free: readable,
    rules: atHome(geminiFile, { tools: { confirmationRequired: ["replace", "write_file"] } }),
  },
  { what: "plan mode", denied: all, args: swapped("yolo", "plan") },
  { what: "`--approval-mode default`", denied: all, args: swapped("yolo", "default") },
].map((one) => ({ ...one, client: geminiCli }));

/** @type {readonly Policy[]} */
export const qwen = [
  {
    what: "deny rules of paths",
    ...folders,
    rules: atHome(qwenFile, { permissions: { deny: ["Read(./private/**)", "Edit(./locked/**)"] } }),
  },
  {
    what: "`.qwenignore` and `.agentignore`",
    denied: { read: ["private/plan.txt", "b.agent"] },
    free: readable,
    rules: both(inProject(".qwenignore", "private/\n"), inProject(".agentignore", "*.agent\n")),
  },
  {
    what: "`customIgnoreFiles`",
    denied: { read: ["private/plan.txt"] },
    free: readable,
    rules: both(
      inProject("my.ignore", "private/\n"),
      atHome(qwenFile, { context: { fileFiltering: { customIgnoreFiles: ["my.ignore"] } } }),
    ),
  },
  {
    what: "`tools.core`",
    denied: all,
    free: readable,
    rules: atHome(qwenFile, { tools: { core: ["read_file", "list_directory"] } }),
  },
  {
    what: "`tools.exclude`",
    denied: all,
    free: readable,
    rules: atHome(qwenFile, { tools: { exclude: ["edit"] } }),
  },
  {
    what: "`permissions.deny` for write_file alone: edit is left",
    denied: {},
    free: { write: ["src/"] },
    rules: atHome(qwenFile, { permissions: { deny: ["write_file"] } }),
  },
  {
    what: "`--exclude-tools`",
    denied: all,
    free: readable,
    args: plus("--exclude-tools", "edit,write_file"),
  },
  { what: "`--core-tools`", denied: all, free: readable, args: plus("--core-tools", "read_file") },
  { what: "plan mode", denied: all, args: swapped("yolo", "plan") },
  { what: "`--approval-mode default`", denied: all, args: swapped("yolo", "default") },
].map((one) => ({ ...one, client: qwenCode }));
