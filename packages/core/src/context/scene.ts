import {
  type Choice,
  type Choices,
  type ConversationContext,
  isOfModel,
  type TurnNode,
  type Walk,
} from "../conversation/index.js";
import { type Layout, type Piece, sameAnswer } from "./layout.js";

/** What a step may know beyond the layout so far. */
export interface Scene {
  readonly context: ConversationContext;
  readonly walk: Walk;
  readonly choices: Choices;
  readonly settings: Settings;
  /** The summary in whose place this path is rendered. */
  readonly within: string | undefined;
  /** Tasks that are being rendered in full around this path. */
  readonly around: readonly string[];
}

/** The options with their defaults filled in. */
export interface Settings {
  readonly expand: ReadonlySet<string>;
  readonly target: { readonly provider: string; readonly model: string } | undefined;
  readonly now: number;
  readonly bound: boolean;
}

/** What all pieces of one node have in common. */
export interface Ground {
  readonly nodeId: string;
  readonly cut: boolean;
  readonly within: string | undefined;
  readonly choice: Choice | undefined;
}

/** What all pieces of this node have in common. */
export function groundOf(layout: Layout, node: TurnNode, scene: Scene): Ground {
  const carriesOn = isOfModel(node) && sameAnswer(layout.speaker, { step: node.payload.step });
  return {
    nodeId: node.id,
    cut: layout.exchange.calls.length === 0 && !carriesOn,
    within: scene.within,
    choice: scene.choices.forms.get(node.id),
  };
}

/** A text of the user's side. */
export function userText(ground: Ground, rule: Piece["rule"], text: string): Piece {
  return { ...ground, role: "user", part: { text }, rule };
}

/** The first piece of a node tells of its form and of the cut before it; the others need not. */
export function followers(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.map((piece, at) => (at === 0 ? piece : { ...piece, cut: false, choice: undefined }));
}
