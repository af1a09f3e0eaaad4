import type { FindOutcome, SearchOutcome } from "../../files/index.js";
import {
  changeSetToJson,
  listToJson,
  readManyToJson,
  readToJson,
  refusedToJson,
  writeToJson,
} from "./json.js";
import { findToJson, findToText, searchToJson, searchToText } from "./looking.js";
import type { WireOptions } from "./options.js";
import type { ChangeSetResult, ToolReply, ToolResult, WriteResult } from "./result.js";
import { chooseShown, chooseShownOfSet, type Shown } from "./shown.js";
import {
  changeSetToText,
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
      const bearsContent = read && outcome.unchanged !== true;
      const head = { success: read, code: read ? "ok" : outcome.code, bearsContent } as const;
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
    case "find": {
      const { outcome } = result;
      return reply(headOf(outcome), findToJson(outcome), () => findToText(outcome), options);
    }
    case "search": {
      const { outcome } = result;
      return reply(headOf(outcome), searchToJson(outcome), () => searchToText(outcome), options);
    }
    case "write":
      return renderWrite(result, options);
    case "change_set":
      return renderChangeSet(result, options);
    case "refused": {
      const head = { success: false, code: result.refusal.code, bearsContent: false } as const;
      return reply(head, refusedToJson(result), () => refusalToText(result.refusal), options);
    }
    default:
      return result satisfies never;
  }
}

function headOf(outcome: FindOutcome | SearchOutcome): Pick<ToolReply, "success" | "code" | "bearsContent"> {
  if (outcome.kind === "refusal") return { success: false, code: outcome.code, bearsContent: false };
  return { success: true, code: "ok", bearsContent: true };
}

function renderWrite(result: WriteResult, options: WireOptions): ToolReply {
  const shown = chooseShown(result, options.resultContent);
  const { success, code } = result.outcome;
  const bearsContent = bears(shown);
  const json = writeToJson(result, shown, options.resultContent);
  return reply({ success, code, bearsContent }, json, () => writeToText(result, shown), options);
}

function renderChangeSet(result: ChangeSetResult, options: WireOptions): ToolReply {
  const shown = chooseShownOfSet(result, options.resultContent);
  const { success, code } = result.outcome;
  const json = changeSetToJson(result, shown, options.resultContent);
  const head = { success, code, bearsContent: shown.some(bears) };
  return reply(head, json, () => changeSetToText(result, shown), options);
}

function bears(shown: Shown): boolean {
  return shown.kind === "full" || (shown.kind === "windows" && shown.windows.length > 0);
}

function reply(
  head: Pick<ToolReply, "success" | "code" | "bearsContent">,
  json: unknown,
  text: () => string,
  { wire }: WireOptions,
): ToolReply {
  return { ...head, json, text: wire === "json" ? JSON.stringify(json) : text() };
}
