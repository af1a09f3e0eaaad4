import type { OnMismatch } from "@holdfast/core/files/values";
import { type ClientName, clients, doorFor, guardedClients } from "../clients.js";
import { allowedReads } from "./client-settings.js";
import type { HookMoment, ToolHook } from "./hook-matchers.js";
import type { SetupCall } from "./setup-call.js";

/** What a person wants of a setup. */
export interface SetupChoices {
  readonly tools: boolean;
  readonly guard: boolean;
  readonly allowReads: boolean;
  readonly acceptEdits: boolean;
  /** The hooks of a person's to which our tools are added. */
  readonly hooks: readonly HookMoment[];
  readonly onMismatch: OnMismatch | undefined;
}

/** What the flags say, for scripts; and what a person answers, where nothing but a client was named in a terminal. */
export async function choose(
  call: SetupCall,
  client: ClientName,
  missed: readonly (ToolHook & { readonly shown: string })[],
): Promise<SetupChoices> {
  const { flags, shell } = call;
  const { guard, guardOnly, toolsOnly, allowReads = false, acceptEdits = false, formatters = false } = flags;
  const isForTools = toolsOnly === true || allowReads || acceptEdits || formatters;
  // What is recommended, unless somebody says otherwise.
  const isGuarded = guard === true || guardOnly === true || (client === "claude" && !isForTools);
  const given = {
    tools: guard === true || (guardOnly !== true && (client !== "claude" || isForTools)),
    guard: isGuarded,
    allowReads,
    acceptEdits,
    onMismatch: flags.onMismatch,
  };
  const before: readonly HookMoment[] = given.tools ? ["before"] : [];
  if (!isAskedHere(call)) return { ...given, hooks: formatters ? ["before", "after"] : before };
  const { title } = clients[client];
  let introduction = `This adds Holdfast to the settings of ${title}. You see every change first, and nothing is written before you agree.
Restart ${title} when it is done. To undo it later: holdfast setup ${client} --remove\n${doorFor(client)}\n\n`;
  const ask = (question: string) => {
    const text = introduction + question;
    introduction = "";
    return shell.askPerson(text);
  };
  const yes = async (question: string) => !/^n/i.test(await ask(`${question} [Y/n] `));
  const isNamed = guard === true || guardOnly === true || isForTools;
  const doors = isNamed || !guardedClients.includes(client) ? given : await askDoors(client, ask);
  const { tools } = doors;
  const mayAllow = tools && !allowReads && allowedReads(client, flags.project === true).length > 0;
  const addTo = async (moment: HookMoment, words: string): Promise<readonly HookMoment[]> => {
    const hooks = missed.filter((hook) => hook.moment === moment);
    const isAdded =
      tools &&
      hooks.length > 0 &&
      (await yes(`${words}:\n${hookLines(hooks)}Let them run for Holdfast's, too?`));
    return isAdded ? [moment] : [];
  };
  return {
    tools,
    guard: doors.guard,
    onMismatch: flags.onMismatch ?? mismatchAnswers[await ask(mismatchQuestion)],
    allowReads:
      allowReads ||
      (mayAllow &&
        (await yes(
          `${title} asks you before each tool of a server, also before a read. May the four tools that only read run without a question? ${title} still asks before a change.`,
        ))),
    acceptEdits:
      acceptEdits ||
      (tools &&
        client === "claude" &&
        (await yes(
          `In its mode "accept edits" ${title} still asks before each edit of Holdfast. May these edits run there without a question, in the folder that it works in? ${title} still asks before Holdfast moves or deletes a file.`,
        ))),
    hooks: formatters
      ? ["before", "after"]
      : [
          ...(await addTo(
            "before",
            `These hooks can refuse what ${title}'s own tools do, and see none of Holdfast's`,
          )),
          ...(await addTo(
            "after",
            `These hooks run after ${title}'s own edits, and after none of Holdfast's`,
          )),
        ],
  };
}

/** Whether a person can be asked, and has not answered by a flag. */
export function isAskedHere({ flags, settings }: SetupCall): boolean {
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return isTerminal && flags.remove !== true && flags.yes !== true && !settings.json;
}

/** The hooks, one a line. */
export function hookLines(missed: readonly (ToolHook & { readonly shown: string })[]): string {
  return missed
    .map(({ event, matcher, command, shown }) => `  ${event} ${matcher}: ${command} (${shown})\n`)
    .join("");
}

async function askDoors(
  client: ClientName,
  ask: (question: string) => Promise<string>,
): Promise<Pick<SetupChoices, "tools" | "guard">> {
  const title = clients[client].title;
  const tools = "Holdfast's tools for reading and changing files (an MCP server)";
  const guard = `the guard: ${title} keeps its own tools, and a hook checks each of their writes`;
  const order = client === "claude" ? [guard, tools] : [tools, guard];
  const answer = await ask(`What do you want to add?\n  1  ${order[0]}\n  2  ${order[1]}\n  3  both\n[1] `);
  const chosen = answer === "3" ? order : [answer === "2" ? order[1] : order[0]];
  return { tools: chosen.includes(tools), guard: chosen.includes(guard) };
}

const mismatchAnswers: Readonly<Record<string, OnMismatch>> = { "2": "rebase-own", "3": "refuse" };

const mismatchQuestion = `A file changed after the model read it. What should Holdfast do with the model's edit?
  1  make it if the change touched other lines, and show the model what changed
  2  make it only if the model itself made the change, on other lines
  3  refuse it, and show the model the new state
[1] `;
