import { expect, it } from "vitest";
import { chatWire } from "../../../agent/test/loopback/index.js";
import { provided } from "./provided.js";
import { inTerminal } from "./terminal.js";

const answer = { text: "Yes." };

/** A model of which a request, which has a hundred tokens, costs half a dollar. */
async function priced(answers: number) {
  const at = await provided(chatWire, Array(answers).fill(answer), {});
  const { model, provider } = chatWire;
  const overrides = { [model]: { inputUsd: 5_000, outputUsd: 0 } };
  const providers = { [provider]: { baseUrl: at.server.url, keyEnv: "LOOPBACK_KEY" } };
  at.home.put(
    "settings.jsonc",
    JSON.stringify({ model: { name: `${provider}/${model}`, providers, overrides } }),
  );
  return at;
}

it("ends a run at its limit of cost, whichever turns, sessions and models it goes through", async () => {
  const at = await priced(3);
  const seen = inTerminal(at, ["--max-cost", "0.6"]);
  await seen.until("> ");
  seen.type("One.");
  await seen.until("Yes.");
  seen.type("/model local/other");
  await seen.until("needs the prices of local/other");
  seen.type("/clear");
  await seen.until("/help lists commands");
  seen.type("Two.");
  await seen.until("Yes.");
  seen.type("Three.");
  await seen.until("The limit of 0.6 US dollars was reached.");
  seen.type("/quit");
  expect(await seen.ended).toBe(0);
  expect(at.server.left).toBe(1);
});

it("counts a new run anew", async () => {
  const at = await priced(3);
  const first = await at.run(["-p", "One.", "--max-cost", "0.6"]);
  expect(first.code, first.stderr).toBe(0);
  const second = await at.run(["-p", "Two.", "-c", "--max-cost", "0.6", "-o", "json"]);
  expect(JSON.parse(second.stdout)).toMatchObject({ exit_code: 0, stats: { cost_usd: 0.5 } });
});
