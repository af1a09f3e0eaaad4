import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type HostTool, hostSchema, runHostTool } from "../../src/tools/index.js";

const foreign = { type: "object", properties: { path: { type: "string" } }, $defs: { odd: {} } };

/** A tool that answers with the arguments that reached it. */
const echo = (schema?: typeof foreign): HostTool => ({
  kind: "host",
  name: "echo",
  title: "Echo",
  description: "",
  parameters: z.object({ count: z.number().exactOptional() }),
  ...(schema === undefined ? {} : { schema }),
  intent: (args) => ({ kind: "host_request", tool: "echo", summary: "echo", args }),
  run: async ({ args }) => ({ code: "ok", text: JSON.stringify(args) }),
});

const scope = { progress: () => {} };

describe("a host tool with a schema that somebody else wrote", () => {
  test("offers it as it is; one without it offers that of its parameters", () => {
    expect(hostSchema(echo(foreign))).toBe(foreign);
    expect(hostSchema(echo())).toMatchObject({ type: "object", properties: { count: { type: "number" } } });
  });

  test("is given the arguments as they came, odd ones too", async () => {
    const args = { filePath: "a", path: null, list: "[1]" };
    expect(await runHostTool(echo(foreign), args, scope)).toEqual({ code: "ok", text: JSON.stringify(args) });
    expect(await runHostTool(echo(foreign), undefined, scope)).toEqual({ code: "ok", text: "{}" });
  });

  test.each([[[1]], ["text"], [null], [3]])("refuses %j, which is no object", async (args) => {
    expect(await runHostTool(echo(foreign), args, scope)).toMatchObject({ code: "invalid_arguments" });
  });
});
