import type { OnMismatch } from "@holdfast/core/files";
import { type ClientName, clientTitles, doorFor, guardedClients } from "../clients.js";
import { allowedReads } from "./client-settings.js";
import type { ToolHook } from "./hook-matchers.js";
import type { SetupCall } from "./setup-call.js";

/** What a person wants of a setup. */
export interface SetupChoices {
  readonly tools: boolean;
  readonly guard: boolean;
  readonly allowReads: boolean;
  readonly acceptEdits: boolean;
  /** Our tools are added to the hooks that run for the host's own edits. */
  readonly addToHooks: boolean;
  readonly onMismatch: OnMismatch | undefined;
}

/** What the flags say, for scripts; and what a person answers, where nothing but a client was named in a terminal. */
export async function choose(
  call: SetupCall,
  client: ClientName,
  missed: readonly (ToolHook & { readonly shown: string })[],
): Promise<SetupChoices> {
  const { flags, settings, shell } = call;
  const given = {
    tools: flags.guardOnly !== true,
    guard: flags.guard === true || flags.guardOnly === true,
    allowReads: flags.allowReads === true,
    acceptEdits: flags.acceptEdits === true,
    addToHooks: flags.formatters === true,
    onMismatch: flags.onMismatch,
  };
  const isAsked = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (!isAsked || flags.remove === true || flags.yes === true || settings.json) return given;
  const title = clientTitles[client];
  let introduction = `This adds Holdfast to the settings of ${title}. You see every change first, and nothing is written before you agree.
Restart ${title} when it is done. To undo it later: holdfast setup ${client} --remove\n${doorFor(client)}\n\n`;
  const ask = (question: string) => {
    const text = introduction + question;
    introduction = "";
    return shell.askPerson(text);
  };
  const yes = async (question: string) => !/^n/i.test(await ask(`${question} [Y/n] `));
  const doors = given.guard || !guardedClients.includes(client) ? given : await askDoors(client, ask);
  const { tools } = doors;
  const mayAllow = tools && !given.allowReads && allowedReads(client, flags.project === true).length > 0;
  return {
    tools,
    guard: doors.guard,
    onMismatch: given.onMismatch ?? (tools ? mismatchAnswers[await ask(mismatchQuestion)] : undefined),
    allowReads:
      given.allowReads ||
      (mayAllow &&
        (await yes(
          `${title} asks you before each tool of a server, also before a read. May the four tools that only read run without a question? ${title} still asks before a change.`,
        ))),
    acceptEdits:
      given.acceptEdits ||
      (tools &&
        client === "claude" &&
        (await yes(
          `In its mode "accept edits" ${title} still asks before each edit of Holdfast. May these edits run there without a question, in the folder that it works in? ${title} still asks before Holdfast moves or deletes a file.`,
        ))),
    addToHooks:
      given.addToHooks ||
      (tools &&
        missed.length > 0 &&
        (await yes(
          `These hooks run for ${title}'s own edits, and for none of Holdfast's:\n${hookLines(missed)}Let them run for Holdfast's edits, too?`,
        ))),
  };
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
  const title = clientTitles[client];
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
