import type { CommandHost } from "@holdfast/agent";
import {
  elastic,
  type Line,
  planOfReturn,
  signedLine,
  span,
  stateWords,
  textLines,
  wayBack,
} from "@holdfast/agent/shown";
import { commonAncestor, filesMade, type Manifest, Manifests, nodesBelow } from "@holdfast/core/conversation";
import { type TurnNode, textsOf } from "@holdfast/core/conversation/values";
import { describeChange } from "@holdfast/core/patch";
import type { TreeSource } from "./tree-modal.js";

/** The tree of a running session. */
export function treeSource(host: CommandHost): TreeSource {
  const { context } = host.manager;
  return {
    context,
    whole,
    plan: (move, nodeId) => planOfReturn(move, nodeId, host),
    compare: (oneId, otherId) => comparedLines(oneId, otherId, host),
  };
}

/** All that a node holds, as lines. */
function whole({ id, payload, timestamp, metadata }: TurnNode): readonly Line[] {
  const { label } = metadata;
  const name = label === undefined ? "" : `  "${label}"`;
  const head: Line = [
    span(payload.kind.replaceAll("_", " "), "heading"),
    span(`  ${id}  ${new Date(timestamp).toISOString()}${name}`, "faint"),
  ];
  const call =
    payload.kind === "tool_call" ? [`${payload.name} ${JSON.stringify(payload.args, null, 2)}`] : [];
  const texts = call.length > 0 ? call : textsOf(payload);
  return [head, [], ...texts.flatMap((text) => textLines(text))];
}

/** What was said on each branch since they parted, and the files that are different at their ends. */
async function comparedLines(oneId: string, otherId: string, host: CommandHost): Promise<readonly Line[]> {
  const { context } = host.manager;
  const { id } = commonAncestor(context, oneId, otherId);
  const branch = (toId: string, name: string): readonly Line[] => {
    const said = nodesBelow(context, id, toId).flatMap(saidBy);
    return [
      [span(`${name}: …${toId.slice(-8)}, ${said.length} turns since they parted`, "heading")],
      ...said,
      [],
    ];
  };
  return [
    ...branch(oneId, "First"),
    ...branch(otherId, "Second"),
    ...(await differentFiles(oneId, otherId, host)),
  ];
}

function saidBy({ payload }: TurnNode): readonly Line[] {
  if (payload.kind !== "user_message" && payload.kind !== "model_message") return [];
  const [first = ""] = payload.text.trim().split("\n");
  const isPerson = payload.kind === "user_message";
  return first === ""
    ? []
    : [[span(isPerson ? "  > " : "    "), elastic(first, isPerson ? "strong" : "plain")]];
}

async function differentFiles(oneId: string, otherId: string, host: CommandHost): Promise<readonly Line[]> {
  const { context } = host.manager;
  const manifests = new Manifests();
  const { id } = commonAncestor(context, oneId, otherId);
  const [one, other] = [manifests.at(context, oneId), manifests.at(context, otherId)];
  // Of a file that the other branch knows nothing of, what this one made of it.
  const alone = (toId: string, there: Manifest, words: string) =>
    filesMade(context, id, toId, manifests)
      .filter(({ path }) => there.get(path) === undefined)
      .map((made) => ({ ...made, words }));
  const both = [...one.keys()].flatMap((path) => {
    const [from, to] = [one.get(path), other.get(path)];
    return from === undefined || to === undefined || from === to ? [] : [{ path, from, to, words: "" }];
  });
  const found = [
    ...both,
    ...alone(oneId, other, "on the first alone: "),
    ...alone(otherId, one, "on the second alone: "),
  ];
  const lines: Line[] = [];
  for (const { path, from, to, words } of found.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const states = `  ${words}${stateWords(from)} → ${stateWords(to)}`;
    lines.push([span("--- "), elastic(path, "strong"), span(states, "faint")]);
    lines.push(...(await diffOfStates({ path, from, to }, host)));
  }
  if (lines.length === 0) return [[span("The files known on both are the same.", "faint")]];
  return [[span("Files, from the first to the second", "heading")], ...lines];
}

/** The diff between two states of a file, as lines; a sentence where they cannot be shown. */
export async function diffOfStates(
  { path, from, to }: { readonly path: string; readonly from: string | null; readonly to: string | null },
  { workspace }: Pick<CommandHost, "workspace">,
): Promise<readonly Line[]> {
  if (from === to) return [[span("  The content of the two states is the same.", "faint")]];
  const [now] = await workspace.fileStates([path]);
  const current = now?.sha256 ?? null;
  const texts: string[] = [];
  for (const sha256 of [from, to]) {
    const isNow = sha256 === current;
    const file = sha256 === null ? noFile : await wayBack(workspace, path, current, isNow ? null : sha256);
    if (file !== undefined && "kind" in file) return [[span(`  ${file.message}`, "note")]];
    const text = isNow ? file?.before : file?.after;
    if (typeof text !== "string") return [[span("  not a text", "note")]];
    texts.push(text);
  }
  return describeChange(texts[0] ?? "", texts[1] ?? "", { maxLines: mostLines })
    .split("\n")
    .map(signedLine);
}

const mostLines = 2_000;

const noFile = { before: "", after: "" };
