import type { commandSpecs } from "./command-table.js";
import type { Run } from "./shell/invocation.js";

/** The code of a command, which is loaded when it is called; of one that has actions, the code of each. */
export type Load = () => Promise<Run | Readonly<Record<string, Run>>>;

type FirstWord<Usage extends string> = Usage extends `${infer Name} ${string}` ? Name : Usage;

/** By the name of the command. */
export const loaders: Readonly<Record<FirstWord<(typeof commandSpecs)[number]["usage"]>, Load>> = {
  read: async () => (await import("./commands/read.js")).readCommand,
  list: async () => (await import("./commands/list.js")).listCommand,
  find: async () => (await import("./commands/find.js")).findCommand,
  search: async () => (await import("./commands/search.js")).searchCommand,
  patch: async () => (await import("./commands/changing.js")).patchCommand,
  apply: async () => (await import("./commands/apply.js")).applyCommand,
  write: async () => (await import("./commands/changing.js")).writeCommand,
  edit: async () => (await import("./commands/edit.js")).editCommand,
  append: async () => (await import("./commands/changing.js")).appendCommand,
  prepend: async () => (await import("./commands/changing.js")).prependCommand,
  insert: async () => (await import("./commands/changing.js")).insertCommand,
  section: async () => (await import("./commands/changing.js")).sectionCommand,
  move: async () => (await import("./commands/changing.js")).moveCommand,
  delete: async () => (await import("./commands/changing.js")).deleteCommand,
  undo: async () => (await import("./commands/changing.js")).undoCommand,
  log: async () => (await import("./commands/log.js")).logCommand,
  restore: async () => (await import("./commands/changing.js")).restoreCommand,
  gc: async () => (await import("./commands/gc.js")).gcCommand,
  doctor: async () => (await import("./commands/doctor.js")).doctorCommand,
  setup: async () => (await import("./commands/hosts.js")).setupCommand,
  guard: async () => (await import("./commands/hosts.js")).guardCommand,
  completion: async () => (await import("./commands/completion.js")).completionCommand,
  tour: async () => (await import("./commands/tour.js")).tourCommand,
  sessions: async () => (await import("./commands/sessions.js")).sessionActions,
  history: async () => (await import("./commands/history.js")).historyActions,
  view: async () => (await import("./commands/view.js")).viewCommand,
  mcp: async () => (await import("./commands/mcp.js")).mcpCommand,
  agent: async () => (await import("./commands/agent.js")).agentCommand,
  config: async () => (await import("./commands/config.js")).configActions,
};
