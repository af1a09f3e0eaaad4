import { efforts } from "@holdfast/core/context";
import { upwards } from "@holdfast/core/conversation";
import { isRefusal } from "@holdfast/core/files/values";
import { approvalModes } from "../config/approval.js";
import { effortFor, effortWords, nameOfModel } from "../loop/ask-model.js";
import type { CommandOutcome, CommandSpec, ListedSession } from "./command.js";
import { refused, told, unavailable } from "./results.js";

const clear: CommandSpec = {
  name: "clear",
  says: "Begins a new session; this one is kept.",
  run: async () => ({ kind: "session", session: { kind: "new" } }),
};

const resume: CommandSpec = {
  name: "resume",
  usage: "[SESSION]",
  says: "Goes on with a stored session, named by the beginning of its id; without one they are listed.",
  operands: { least: 0, most: 1 },
  operand: "session",
  run: async ({ text }, { listSessions, manager }): Promise<CommandOutcome> => {
    if (text !== "") return { kind: "session", session: { kind: "resume", id: text } };
    if (listSessions === undefined) return unavailable("Listing sessions");
    const listed = await listSessions();
    if (isRefusal(listed)) return refused(listed.code, listed.message);
    const data = { sessions: listed.map(({ id, title = null }) => ({ id, title })) };
    const here = manager.context.sessionId;
    const lines = listed.map((session) => sessionLine(session, here));
    return told(`Stored sessions: ${listed.length}. /resume ID goes on with one.`, {
      data,
      text: lines.join("\n"),
    });
  },
};

const fork: CommandSpec = {
  name: "fork",
  usage: "[NODE]",
  says: "Goes on in a copy of this session with all its branches, at a turn where one is named.",
  operands: { least: 0, most: 1 },
  operand: "node",
  run: async ({ text }) => ({
    kind: "session",
    session: { kind: "fork", ...(text === "" ? {} : { nodeId: text }) },
  }),
};

const model: CommandSpec = {
  name: "model",
  usage: "[NAME]",
  says: "Goes on with another model; without a name it tells which is used and which are known.",
  operands: { least: 0, most: 1 },
  operand: "model",
  run: async ({ text }, { agent, modelNames, openModel }) => {
    if (text === "") {
      const names = (await modelNames?.()) ?? [];
      const now = nameOfModel(agent.model);
      return told(`The model is ${now}.`, {
        data: { model: now, known: [...names] },
        text: names.join("\n"),
      });
    }
    if (openModel === undefined) return unavailable("A change of the model");
    const opened = await openModel(text);
    if ("code" in opened) return refused(opened.code, opened.message);
    const before = agent.effort;
    agent.switchModel(opened);
    const isLeft = before !== undefined && agent.effort !== before;
    const left = isLeft ? ` It does not take the effort ${before}.` : "";
    const message = `The model is ${nameOfModel(opened)} from the next request on.${left}`;
    return told(message, { data: { model: text } });
  },
};

const effort: CommandSpec = {
  name: "effort",
  usage: `[${efforts.join("|")}]`,
  says: "Says how much the model is to think, or tells what it can be asked.",
  operands: { least: 0, most: 1 },
  operand: "effort",
  run: async ({ text }, { agent }) => {
    const { model } = agent;
    const name = nameOfModel(model);
    const wanted = efforts.find((each) => each === text);
    if (text !== "" && (wanted === undefined || effortFor(model, wanted) !== wanted))
      return refused("invalid_arguments", effortWords(name, { efforts, ...model }));
    if (wanted !== undefined) agent.effort = wanted;
    const now = agent.effort ?? "as the provider has it";
    return told(`The effort is ${now}.`, {
      data: { effort: now, allowed: [...(model.efforts ?? efforts)] },
      ...(text === "" ? { text: effortWords(name, { efforts, ...model }) } : {}),
    });
  },
};

const mode: CommandSpec = {
  name: "mode",
  usage: `[${approvalModes.join("|")}]`,
  says: "Says what needs your consent, or tells the mode.",
  operands: { least: 0, most: 1 },
  operand: "mode",
  run: async ({ text }, { agent }) => {
    const wanted = approvalModes.find((each) => each === text);
    if (text !== "" && wanted === undefined)
      return refused("invalid_arguments", `A mode is one of ${approvalModes.join(", ")}.`);
    if (wanted !== undefined) agent.setMode(wanted);
    return told(`The mode is ${agent.mode}.`, { data: { mode: agent.mode } });
  },
};

const copy: CommandSpec = {
  name: "copy",
  says: "Puts the model's last answer into the clipboard.",
  run: async (_, { manager: { context }, copy: put }) => {
    for (const { id, payload } of upwards(context, context.currentNodeId)) {
      if (payload.kind !== "model_message") continue;
      if (put === undefined) return unavailable("Copying");
      await put(payload.text);
      return told(`Copied: ${payload.text.length} characters.`, { data: { turn_id: id } });
    }
    return refused("nothing_to_copy", "The model has not said anything yet.");
  },
};

const settings: CommandSpec = {
  name: "settings",
  says: "Shows the settings that hold, and where each comes from; `holdfast config` changes them.",
  run: async (_, { settings: read }) =>
    read === undefined
      ? unavailable("Showing settings")
      : told("Settings:", { text: (await read()).join("\n") }),
};

const doctor: CommandSpec = {
  name: "doctor",
  says: "Checks the surroundings: settings, keys, folders, stores, MCP servers.",
  run: async (_, { doctor: check }) =>
    check === undefined ? unavailable("A check") : told("Checked:", { text: (await check()).join("\n") }),
};

const quit: CommandSpec = {
  name: "quit",
  says: "Leaves; the session is kept.",
  run: async () => ({ kind: "quit" }),
};

/** The commands of the session and its surroundings. */
export const sessionCommands: readonly CommandSpec[] = [
  model,
  effort,
  mode,
  clear,
  resume,
  fork,
  copy,
  settings,
  doctor,
  quit,
];

function sessionLine({ id, title = "", changedMs }: ListedSession, here: string): string {
  const when = new Date(changedMs).toISOString().slice(0, 16).replace("T", " ");
  return `${id}  ${when}  ${title}${id === here ? "  <- here" : ""}`;
}
