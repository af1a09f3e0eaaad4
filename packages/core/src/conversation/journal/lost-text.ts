import type { ConversationEvent } from "../values/event.js";
import { mapPayloads } from "../values/event-shape.js";
import type { ContextManagement, Media, OverlayForm, TurnPayload } from "../values/payload.js";

/**
 * An event without what would be false now that some of its texts are gone: lines that were shown in them,
 * and signatures, which nobody would accept over another text.
 *
 * @param lost JSON Pointers into the event (`/nodes/0/payload/output`), where a word about it stands now.
 */
export function withoutLostParts(event: ConversationEvent, lost: readonly string[]): ConversationEvent {
  return mapPayloads(event, (payload, at) => {
    const pointer = payloadPointer(event, at);
    const fields = lost.filter((one) => one.startsWith(pointer)).map((one) => one.slice(pointer.length));
    return fields.length === 0 ? payload : mended(payload, fields);
  });
}

function payloadPointer({ type }: ConversationEvent, at: number): string {
  if (type === "nodes_added") return `/nodes/${at}/payload/`;
  return type === "session_started" ? "/root/payload/" : "/payload/";
}

function mended(payload: TurnPayload, fields: readonly string[]): TurnPayload {
  switch (payload.kind) {
    case "user_message":
      return withoutLostMedia(payload, fields);
    case "model_message": {
      // What a signature signs is not there any more, or the signature itself is not.
      const { thought: _, redactedThought: __, signature: ___, ...rest } = payload;
      return withoutLostMedia(rest, fields);
    }
    case "tool_call": {
      const { signature: _, ...rest } = payload;
      return rest;
    }
    case "tool_result": {
      const { shows: _, refers: __, repeats: ___, ...rest } = payload;
      return rest;
    }
    case "file_content": {
      // It stood for bytes of a file: shown, but never again given to a model as such.
      const { kind, fileApi: _, repeats: __, ...data } = payload;
      return { kind: "unknown", type: kind, data: { ...data, lines: { ...data.lines } } };
    }
    case "context_management":
      return mendedManagement(payload, fields);
    case "task_boundary":
    case "task_summary":
    case "summary":
    case "restore":
    case "note":
    case "lost":
    case "unknown":
      return payload;
    default:
      return payload satisfies never;
  }
}

function withoutLostMedia<Payload extends { readonly media?: readonly Media[] }>(
  payload: Payload,
  fields: readonly string[],
): Payload {
  const media = payload.media?.filter((_, at) => !fields.includes(`media/${at}/data`));
  return media === undefined ? payload : { ...payload, media };
}

function mendedManagement(payload: ContextManagement, fields: readonly string[]): ContextManagement {
  if (payload.action === "overlay") return { ...payload, form: mendedForm(payload.form) };
  if (payload.action !== "reform") return payload;
  const changes = payload.changes.map((change, at) =>
    fields.includes(`changes/${at}/form/text`) ? { ...change, form: mendedForm(change.form) } : change,
  );
  return { ...payload, changes };
}

function mendedForm(form: OverlayForm): OverlayForm {
  if (form.form !== "replaced") return form;
  const { shows: _, refers: __, ...rest } = form;
  return rest;
}
