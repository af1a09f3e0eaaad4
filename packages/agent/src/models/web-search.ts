import type { ModelPort } from "@holdfast/core/context";
import { failedCall, type HostToolResult } from "@holdfast/core/tools";
import { answerBeside, type BesideOptions, saidIn } from "./summariser.js";

/**
 * Has the provider of a model search the web by its own server tool, in a request of its own: so the conversation holds
 * nothing that only this provider takes back.
 *
 * @returns what it found in its words, then the pages; `failed` where the request fails or its answer says nothing.
 */
export async function searchedBy(
  port: ModelPort,
  query: string,
  asking: BesideOptions,
): Promise<HostToolResult> {
  const text = `${task}\n\n${query}`;
  const contents = [{ role: "user", parts: [{ text }] }] as const;
  const answer = await answerBeside(port, { contents, searches: true, answerTokens }, asking);
  if (!("parts" in answer)) return failedCall("failed", answer.message);
  const { sources = [] } = answer;
  const pages = sources.map(({ url, title }) => `- ${title === "" ? url : `${title}: ${url}`}`);
  const words = [saidIn(answer).trim(), ...(pages.length === 0 ? [] : [`Pages:\n${pages.join("\n")}`])];
  const found = words.filter((part) => part !== "").join("\n\n");
  if (found === "") return failedCall("failed", `The search ended without an answer (${answer.ended}).`);
  return { code: "ok", text: found };
}

/** Such an answer stands in the conversation as long as any. */
const answerTokens = 8_000;

const task =
  "Search the web for what is asked below. Answer with the facts that you found and the page of each, without advice.";
