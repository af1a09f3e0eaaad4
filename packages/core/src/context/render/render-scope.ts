import type { Ancestry, Choice, Choices } from "../../conversation/index.js";
import { type ConversationContext, isOfModel, type TurnNode } from "../../conversation/values/index.js";
import type { PersistentMap } from "../../files/seen/index.js";
import { type DraftPart, type Layout, sameAnswer } from "../layout/layout.js";

/** What a step may know beyond the layout so far. */
export interface RenderScope {
  readonly context: ConversationContext;
  readonly ancestry: Ancestry;
  readonly choices: Choices;
  readonly settings: RenderSettings;
  /** The summary in whose place this path is rendered. */
  readonly within: string | undefined;
  /** Tasks that are being rendered in full around this path. */
  readonly around: PersistentMap<true>;
}

/** The options with their defaults filled in. */
export interface RenderSettings {
  readonly expand: ReadonlySet<string>;
  readonly target: { readonly provider: string; readonly model: string } | undefined;
  readonly now: number;
  readonly bound: boolean;
  readonly files: "text" | "json";
}

/** What all parts of one node have in common. */
export interface PartSource {
  readonly nodeId: string;
  readonly cut: boolean;
  readonly within: string | undefined;
  readonly choice: Choice | undefined;
}

/** What all parts of this node will have in common. */
export function sourceOf(layout: Layout, node: TurnNode, scope: RenderScope): PartSource {
  const carriesOn = isOfModel(node) && sameAnswer(layout.speaker, { step: node.payload.step });
  return {
    nodeId: node.id,
    cut: layout.exchange.size === 0 && !carriesOn,
    within: scope.within,
    choice: scope.choices.forms.get(node.id),
  };
}

/** A text of the user's side. */
export function userText(source: PartSource, rule: DraftPart["rule"], text: string): DraftPart {
  return { ...source, role: "user", part: { text }, rule };
}

/** Leaves the form of a node, and the cut before it, on its first part only. */
export function followers(drafts: readonly DraftPart[]): readonly DraftPart[] {
  return drafts.map((draft, at) => (at === 0 ? draft : { ...draft, cut: false, choice: undefined }));
}
