import { listToJson, readManyToJson, readToJson, refusedToJson, writeToJson } from "./json.js";
import type { WireOptions } from "./options.js";
import type { ToolReply, ToolResult, WriteResult } from "./result.js";
import { chooseShown } from "./shown.js";
import {
  listToText,
  readManyToText,
  readToText,
  refusalToText,
  summariseReads,
  writeToText,
} from "./text.js";

/** Turns a tool's result into what goes on the wire. Pure: the same result gives the same bytes. */
export function renderResult(result: ToolResult, options: WireOptions): ToolReply {
  switch (result.kind) {
    case "read": {
      const { outcome } = result;
      const read = outcome.kind === "read";
      const head = { success: read, code: read ? "ok" : outcome.code, bearsContent: read } as const;
      return reply(head, readToJson(outcome), () => readToText(outcome), options);
    }
    case "read_many": {
      const { outcome } = result;
      const { success, code } = summariseReads(outcome);
      const head = { success, code, bearsContent: outcome.files.some((file) => file.kind === "read") };
      return reply(head, readManyToJson(outcome), () => readManyToText(outcome), options);
    }
    case "list": {
      const { outcome } = result;
      const listed = outcome.kind === "listed";
      const head = { success: listed, code: listed ? "ok" : outcome.code, bearsContent: listed } as const;
      return reply(head, listToJson(outcome), () => listToText(outcome), options);
    }
    case "write":
      return renderWrite(result, options);
    case "refused": {
      const head = { success: false, code: result.refusal.code, bearsContent: false } as const;
      return reply(head, refusedToJson(result), () => refusalToText(result.refusal), options);
    }
    default:
      return result satisfies never;
  }
}

function renderWrite(result: WriteResult, options: WireOptions): ToolReply {
  const shown = chooseShown(result, options.resultContent);
  const { success, code } = result.outcome;
  const bearsContent = shown.kind === "full" || (shown.kind === "windows" && shown.windows.length > 0);
  const json = writeToJson(result, shown, options.resultContent);
  return reply({ success, code, bearsContent }, json, () => writeToText(result, shown), options);
}

function reply(
  head: Pick<ToolReply, "success" | "code" | "bearsContent">,
  json: unknown,
  text: () => string,
  { wire }: WireOptions,
): ToolReply {
  return { ...head, json, text: wire === "json" ? JSON.stringify(json) : text() };
}
