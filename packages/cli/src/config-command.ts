import type { CommandSpec } from "./command-spec.js";

const project = { "--project": "the project's file only" } as const;

/** `holdfast config`: the agent's settings. */
export const configSpec = {
  usage: "config <action> [key] [value]",
  actions: [
    {
      usage: "list",
      summary: "what is set, where that was said, and what does not count",
      options: project,
    },
    { usage: "get KEY", summary: "the value of one key" },
    { usage: "set KEY VALUE", summary: "sets a key in your own file; comments stay", options: project },
    { usage: "unset KEY", summary: "takes a key out of your own file; comments stay", options: project },
    { usage: "check", summary: "all that is wrong, with its place; exit code 52", options: project },
    { usage: "path", summary: "where the files are", options: project },
    {
      usage: "trust [PATH]",
      summary: "shows what a project's settings widen, and trusts them",
      options: { "--yes": "without asking" },
    },
    { usage: "untrust [PATH]", summary: "trusts a project's settings no more" },
    { usage: "schema", summary: "the JSON Schema, for editors" },
  ],
  summary: "the agent's settings: list, get, set, unset, check, path, trust, untrust, schema",
  description:
    "Works on the agent's settings: your own file, the project's, the environment. A VALUE is JSON, or plain text where " +
    "the key takes text. What a project's settings would widen does not count until you trust them as they are.",
  examples: [
    "holdfast config list",
    "holdfast config set approval.mode plan",
    "holdfast config set limits.maxTurns 40 --project",
    "holdfast config unset model.name",
    "holdfast config check --json",
    "holdfast config trust",
  ],
} as const satisfies CommandSpec;
