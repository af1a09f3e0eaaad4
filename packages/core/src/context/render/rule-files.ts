import type { FileApiState, FileContent, ShownText } from "../../conversation/values/index.js";
import { chooseSuffix, escapeInJson, fileAttributes, frameText } from "../../text/index.js";
import type { DraftPart, Layout, NodeDrafts } from "../layout/layout.js";
import { put, sizeOf } from "../layout/list.js";
import type { PartSource, RenderScope, RenderSettings } from "./render-scope.js";
import { userText } from "./render-scope.js";
import { addressText } from "./texts.js";

/** How long before its end an address is not used any more, in milliseconds: a request takes its time. */
const addressMargin = 10 * 60_000;

/** A state of a file: framed text, or the address of the same bytes. */
export function fileContent(
  layout: Layout,
  payload: FileContent,
  source: PartSource,
  scope: RenderScope,
): NodeDrafts {
  const { settings } = scope;
  const { layout: next, address } = addressIn(layout, addressOf(payload, source), source, settings);
  const drafts =
    address === undefined ? [inline(payload, source, settings)] : byAddress(payload, address, source);
  return { layout: next, drafts };
}

/**
 * Whether bytes stand in this prompt by their address: only where it is active, of use to who is asked, and good for a
 * while. The layout then holds for as long; where the address has expired, the prompt differs from here on.
 */
export function addressIn(
  layout: Layout,
  api: FileApiState | undefined,
  source: PartSource,
  settings: RenderSettings,
): { readonly layout: Layout; readonly address?: FileApiState } {
  if (api === undefined || !isUsable(api, settings)) return { layout };
  const until = api.expiresAt - addressMargin;
  if (settings.now >= until) return { layout: expired(layout, until, source) };
  return { layout: { ...layout, validUntil: Math.min(layout.validUntil, until) }, address: api };
}

function addressOf(payload: FileContent, { choice }: PartSource): FileApiState | undefined {
  if (choice?.form.form === "uri") return choice.form.fileApi;
  return choice?.form.form === "inline" ? undefined : payload.fileApi;
}

/** Whether the address could be used at some time. */
function isUsable({ state, uri }: FileApiState, { target, now }: RenderSettings): boolean {
  const google = target === undefined || target.provider === "google";
  return state === "ACTIVE" && uri !== "" && google && now !== Number.POSITIVE_INFINITY;
}

function expired(layout: Layout, until: number, { nodeId }: PartSource): Layout {
  const firstPart = sizeOf(layout.parts);
  return {
    ...layout,
    validFrom: Math.max(layout.validFrom, until),
    uriUntil: Math.max(layout.uriUntil, until),
    boundaries: put(layout.boundaries, { rule: "uri_expired", nodeId, targetId: nodeId, firstPart }),
  };
}

function inline(payload: FileContent, source: PartSource, { files }: RenderSettings): DraftPart {
  if (files === "json") return userText(source, "file_inline", jsonOf(payload));
  const suffix = chooseSuffix([payload.text, payload.path]);
  const { text, start } = frameText(attributesOf(payload), payload.text, suffix);
  const shows = shownOf(payload, start, start + payload.text.length);
  const repeats = payload.repeats?.map((one) => ({ ...one, start: one.start + start, end: one.end + start }));
  return { ...userText(source, "file_inline", text), shows, repeats };
}

/** As an answer to `read_file` has it (`wireReadResult`). */
function jsonOf({ path, version, sha256, text, lines, form }: FileContent): string {
  const state = { file_path: path, version, sha256, content: text };
  return escapeInJson(JSON.stringify(form === "window" ? { ...state, lines } : state));
}

function byAddress(payload: FileContent, api: FileApiState, source: PartSource): readonly DraftPart[] {
  const shows = shownOf(payload, 0, 0);
  return [
    userText(source, "file_uri", addressText(attributesOf(payload))),
    { ...attached(api, source), shows, holds: payload.text.length },
  ];
}

/** Bytes by their address. */
export function attached({ uri, mimeType }: FileApiState, source: PartSource): DraftPart {
  const part = { fileData: { fileUri: uri, mimeType } };
  return { ...source, role: "user", part, rule: "file_uri" };
}

/** Nothing, where the text is not known to be the state's. */
function shownOf(
  { path, sha256, lines, verified }: FileContent,
  start: number,
  end: number,
): readonly ShownText[] {
  return verified === true ? [{ path, sha256, from: lines.from, to: lines.to, start, end }] : [];
}

function attributesOf({ path, version, sha256, lines, form }: FileContent): string {
  const pairs: (readonly [string, string])[] = [
    ["version", String(version)],
    ["sha256", sha256],
    ["total_lines", String(lines.total)],
  ];
  if (form === "window") pairs.push(["lines", `${lines.from}-${lines.to}`]);
  if (form === "tracked") pairs.push(["tracked", "yes"]);
  return fileAttributes(path, pairs);
}
