import { expect, it } from "vitest";
import { advance, noExchange } from "../../src/conversation/values/exchange.js";

it("keeps thousands of parallel calls apart by their ids", () => {
  const count = 2_000;
  let exchange = noExchange;
  for (let at = 0; at < count; at += 1) {
    const payload = { kind: "tool_call", callId: `call ${at}`, name: "look", args: {}, step: "one" } as const;
    exchange = advance(exchange, { id: `node ${at}`, payload, metadata: {} }).exchange;
  }
  for (let at = count - 1; at >= 0; at -= 1) {
    const payload = { kind: "tool_result", callId: `call ${at}`, name: "look", output: "" } as const;
    const moved = advance(exchange, { id: `result ${at}`, payload, metadata: {} });
    expect(moved.answers).toBe(`node ${at}`);
    expect(moved.completes).toBe(at === 0);
    exchange = moved.exchange;
  }
});
