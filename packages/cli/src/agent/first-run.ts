import {
  type AgentSettings,
  credentialsPath,
  factsOfModel,
  localModels,
  readCredentials,
  writeCredential,
} from "@holdfast/agent";
import { type TalkTerminal, wrapped } from "@holdfast/agent/ui";
import { homeFolder } from "@holdfast/core/node";
import { causeOf, escapeText } from "@holdfast/core/text";
import { setSetting } from "../config/set.js";
import type { Invocation } from "../shell/invocation.js";
import { keyFindings, tryModel } from "./check-agent.js";
import { modelOf } from "./model.js";
import { settingsOf } from "./settings.js";

/**
 * Helps a person without a key to a model: says what was looked for, and keeps a key that they paste.
 *
 * @param why there is no model, in sentences.
 * @returns whether it is worth another try; false where the person left.
 */
export async function setUpModel(
  call: Invocation,
  lines: Pick<TalkTerminal, "answer">,
  why: readonly string[],
): Promise<boolean> {
  const settings = await settingsNow(call);
  await say(call, [...why, ...(await foundLines(settings)), ...howTo(settings)]);
  for (;;) {
    const key = (await lines.answer("Key (it is not shown): ", undefined, true))?.trim();
    if (key === undefined) return false;
    if (key === "") return true;
    const provider = /^\S{8,}$/u.test(key) ? await providerOf(key, settings, lines) : undefined;
    if (provider === undefined) await say(call, ["This is no key: one word of at least 8 characters."]);
    else if (await keepKey(call, lines, provider, key)) return true;
  }
}

function say({ terminal }: Pick<Invocation, "terminal">, words: readonly string[]): Promise<void> {
  const width = (terminal.columns() ?? 80) - 1;
  return terminal.out(escapeText(`${words.flatMap((line) => wrapped(line, width)).join("\n")}\n`));
}

/** Settings that cannot be read are told where a run is opened. */
async function settingsNow(call: Invocation): Promise<AgentSettings> {
  const found = await settingsOf(call);
  return found.kind === "settings" ? found.settings : {};
}

async function foundLines(settings: AgentSettings): Promise<readonly string[]> {
  const local = await localModels();
  const servers =
    local.length === 0
      ? "none answers (Ollama on port 11434, LM Studio on 1234, llama.cpp on 8080, vLLM on 8000)"
      : `${local.slice(0, 5).join(", ")} (--model NAME works with one)`;
  return [...keyFindings(settings).map(({ says }) => `  Keys: ${says}.`), `  Local servers: ${servers}.`];
}

function howTo(settings: AgentSettings): readonly string[] {
  const whose = wantedProvider(settings) ?? "Anthropic, OpenAI, Google or OpenRouter";
  return [
    `Paste a key of ${whose} and press Enter: it is kept in ${credentialsPath(place())}, for you alone.`,
    "Or start a local server and press Enter to look again. Ctrl-D leaves.",
  ];
}

const place = () => ({ home: homeFolder(), environment: process.env });

/** The provider of the model that is named, which has no key. */
function wantedProvider({ model }: AgentSettings): string | undefined {
  const { name = "" } = model ?? {};
  return name.includes("/") ? name.slice(0, name.indexOf("/")) : factsOfModel(name)?.provider;
}

const formsOfKeys = [
  ["openrouter", /^sk-or-/],
  ["anthropic", /^sk-ant-/],
  ["google", /^AIza/],
  ["openai", /^sk-/],
] as const;

/** Whose key it is: of the provider that wants one, else as its form says, else as the person says. */
async function providerOf(
  key: string,
  settings: AgentSettings,
  lines: Pick<TalkTerminal, "answer">,
): Promise<string | undefined> {
  const known = wantedProvider(settings) ?? formsOfKeys.find(([, form]) => form.test(key))?.[0];
  if (known !== undefined) return known;
  const said = await lines.answer("Whose key is it: anthropic, openai, google, openrouter? ");
  const begun = (said ?? "").trim().toLowerCase();
  return begun === "" ? undefined : formsOfKeys.find(([name]) => name.startsWith(begun))?.[0];
}

/** Keeps a key, and asks its model for a word. @returns false where the provider does not take it: then it is not kept. */
async function keepKey(
  call: Invocation,
  lines: Pick<TalkTerminal, "answer">,
  provider: string,
  key: string,
): Promise<boolean> {
  const before = readCredentials(place())[provider];
  try {
    writeCredential(place(), provider, key);
  } catch (error) {
    await say(call, [`The key cannot be kept: ${causeOf(error)}.`]);
    return false;
  }
  if ((await settingsNow(call)).model?.name === undefined && provider === "openrouter") {
    const name = (await lines.answer("Which model, as OpenRouter names it (vendor/name)? "))?.trim() ?? "";
    if (name !== "") await setSetting({ ...call, args: ["set", "model.name", `openrouter/${name}`] });
  }
  const model = await modelOf(await settingsNow(call), call.flags);
  if (model.kind === "model_refused") {
    await say(call, [model.message]);
    return false;
  }
  await say(call, [`Asking ${model.name} for one word …`]);
  const answer = await tryModel(model.port);
  if (answer.kind === "answers") {
    await say(call, [`${model.name} answers.`]);
    return true;
  }
  const isRefused = answer.reason === "auth";
  if (isRefused) writeCredential(place(), provider, before);
  await say(call, [answer.message, isRefused ? "The key is not kept." : "The key is kept all the same."]);
  return !isRefused;
}
