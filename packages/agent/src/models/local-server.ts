import { countIn, listIn, recordIn, textIn } from "@holdfast/core/text";
import { localProviders, type OpenModelOptions, type Server, serverOf } from "./open-model.js";
import { providerFetch } from "./provider-port.js";

/**
 * The models of the servers that answer on this machine, as `provider/name`.
 *
 * @param timeoutMs how long each is waited for; they are asked side by side.
 */
export async function localModels(timeoutMs = 300): Promise<readonly string[]> {
  const local = Object.entries(localProviders).filter(([, { keyVariable }]) => keyVariable === undefined);
  const found = await Promise.all(local.map(([name, server]) => modelsOf(name, server, timeoutMs)));
  return found.flat();
}

async function modelsOf(name: string, server: Server, timeoutMs: number): Promise<readonly string[]> {
  const listed = listIn(await answerOf(server, "/models", timeoutMs), "data");
  return listed.flatMap((one) => textIn(one, "id") ?? []).map((id) => `${name}/${id}`);
}

/**
 * The window of a model, in tokens, as a server without a key says it: vLLM and its like in the list of models, llama.cpp in
 * `/props`, Ollama in `/api/show`.
 *
 * @param name `provider/name`. @param timeoutMs how long an answer is waited for.
 * @returns undefined where the server does not say it, or wants a key.
 */
export async function serverWindow(
  name: string,
  options: Pick<OpenModelOptions, "providers">,
  timeoutMs = 1_000,
): Promise<number | undefined> {
  const slash = name.indexOf("/");
  const [provider, model] = [name.slice(0, slash), name.slice(slash + 1)];
  const server = serverOf(provider, options);
  if (server === undefined || server.keyVariable !== undefined || (server.kind ?? "chat") !== "chat")
    return undefined;
  const root = { ...server, baseUrl: server.baseUrl.replace(/\/v1\/?$/u, "") };
  const [listed, props, shown] = await Promise.all([
    answerOf(server, "/models", timeoutMs),
    answerOf(root, "/props", timeoutMs),
    answerOf(root, "/api/show", timeoutMs, { model }),
  ]);
  const own = listIn(listed, "data").find((one) => textIn(one, "id") === model);
  const info = recordIn(shown, "model_info");
  const length = Object.keys(info).find((key) => key.endsWith(".context_length"));
  const told = [
    countIn(own, "max_model_len"),
    countIn(own, "context_length"),
    countIn(recordIn(props, "default_generation_settings"), "n_ctx"),
    Number(/^num_ctx\s+(\d+)/mu.exec(textIn(shown, "parameters") ?? "")?.[1]),
    countIn(info, length ?? ""),
  ];
  return told.find((tokens) => tokens !== undefined && tokens > 0);
}

/** The answer's JSON; undefined where there is none in time. */
async function answerOf({ baseUrl, headers = {} }: Server, path: string, timeoutMs: number, body?: object) {
  try {
    const asked = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const signal = AbortSignal.timeout(timeoutMs);
    const given = { ...headers, "content-type": "application/json" };
    const answer = await providerFetch(`${baseUrl}${path}`, { ...asked, headers: given, signal });
    const value: unknown = answer.ok ? await answer.json() : undefined;
    return value;
  } catch {
    return undefined;
  }
}
