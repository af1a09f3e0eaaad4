import type { ModelMessage, OverlayForm, TurnNode, UserMessage } from "../conversation/index.js";
import { defined } from "../text/index.js";
import { drop, dropHeld, emit, type Layout, mark, type Piece } from "./layout.js";
import { mediaParts } from "./rule-media.js";
import { followers, type Ground, type Scene, userText } from "./scene.js";
import { withinText } from "./shows.js";
import { isSaid } from "./texts.js";
import { whyLost } from "./thoughts.js";

/** Puts the pieces of a node in their place; one that has none in its chosen form says that it is gone. */
export function sayAll(layout: Layout, pieces: readonly Piece[], ground: Ground): Layout {
  if (pieces.length === 0)
    return ground.choice === undefined ? layout : mark(layout, ground.nodeId, ground.choice);
  return followers(pieces).reduce(emit, layout);
}

/** A text on the user's side, in its chosen form; a blank one is left out, and said to be. */
export function saidText(
  layout: Layout,
  text: string,
  rule: Piece["rule"],
  ground: Ground,
): { readonly layout: Layout; readonly pieces: readonly Piece[] } {
  const form = ground.choice?.form;
  const piece = form?.form === "replaced" ? replacedText(ground, form) : userText(ground, rule, text);
  const said = "text" in piece.part && isSaid(piece.part.text);
  return said
    ? { layout, pieces: [piece] }
    : { layout: drop(layout, ground.nodeId, "empty_text"), pieces: [] };
}

function replacedText(
  ground: Ground,
  { text, by, shows, refers }: Extract<OverlayForm, { form: "replaced" }>,
): Piece {
  return {
    ...userText(ground, by, text),
    refers,
    ...(shows === undefined ? {} : { shows: withinText(text, shows) }),
  };
}

/** The layout with a user's message: its words, then its media. */
export function userMessage(layout: Layout, payload: UserMessage, ground: Ground): Layout {
  const media = payload.media ?? [];
  const silent = media.length > 0 && payload.text.trim() === "" && ground.choice?.form.form !== "replaced";
  const said = silent ? { layout, pieces: [] } : saidText(layout, payload.text, "message", ground);
  const { layout: next, parts } = mediaParts(said.layout, media, ground.nodeId);
  const shown = parts.map((part): Piece => ({ ...ground, role: "user", part, rule: "media" }));
  return sayAll(next, [...said.pieces, ...shown], ground);
}

/** Thoughts wait until what they led to is there: alone they are valid nowhere. */
export function modelMessage(
  layout: Layout,
  node: TurnNode,
  payload: ModelMessage,
  ground: Ground,
  scene: Scene,
): Layout {
  const answer = { step: payload.step };
  const lost = whyLost(layout, node, payload.from, scene);
  const thoughts = lost === undefined ? thoughtPieces(payload, ground, answer) : [];
  const texts = textPieces(payload, ground, answer, lost === undefined);
  const next = lost === undefined ? layout : forget(layout, payload, ground.nodeId, lost);
  const alone = thoughts.length > 0 ? dropHeld(next) : next;
  if (texts.length > 0) return sayAll(alone, [...thoughts, ...texts], ground);
  if (thoughts.length === 0)
    return sayAll(isSilent(payload) ? next : drop(next, node.id, "empty_text"), [], ground);
  const pieces = thoughts.map((piece, at) => ({ ...piece, cut: piece.cut && at === 0, choice: undefined }));
  return { ...sayAll(alone, [], ground), held: { answer, pieces } };
}

function thoughtPieces(
  payload: ModelMessage,
  ground: Ground,
  answer: Piece["answer"] & object,
): readonly Piece[] {
  const { thought, redactedThought, signature } = payload;
  const common = { ...ground, role: "model", rule: "thought", answer } as const;
  const pieces: Piece[] = [];
  if (thought !== undefined && (thought.trim() !== "" || signature !== undefined)) {
    const signed = defined({ thoughtSignature: signature });
    pieces.push({ ...common, part: { text: thought, thought: true, ...signed } });
  }
  if (redactedThought !== undefined && redactedThought !== "")
    pieces.push({ ...common, part: { redactedThought } });
  return pieces;
}

function textPieces(
  payload: ModelMessage,
  ground: Ground,
  answer: Piece["answer"] & object,
  signs: boolean,
): readonly Piece[] {
  const form = ground.choice?.form;
  const replaced = form?.form === "replaced" ? form : undefined;
  const text = replaced?.text ?? payload.text;
  if (!isSaid(text)) return [];
  const signature = payload.thought === undefined ? payload.signature : undefined;
  const signed = signs && replaced === undefined && signature !== undefined;
  const part = signed ? { text, thoughtSignature: signature } : { text };
  const shows = replaced?.shows === undefined ? {} : { shows: withinText(text, replaced.shows) };
  const { refers } = replaced ?? {};
  return [{ ...ground, role: "model", part, rule: replaced?.by ?? "message", answer, refers, ...shows }];
}

/** Whether there was nothing to say: many answers are nothing but calls. */
function isSilent({ text, thought, redactedThought }: ModelMessage): boolean {
  return text === "" && !isSaid(thought) && redactedThought === undefined;
}

function forget(
  layout: Layout,
  { thought, redactedThought, signature }: ModelMessage,
  nodeId: string,
  why: "foreign_thought" | "bound_thought",
): Layout {
  if (thought === undefined && redactedThought === undefined && signature === undefined) return layout;
  const lostThought = layout.lostThought || thought !== undefined || redactedThought !== undefined;
  return { ...drop(layout, nodeId, why), lostThought };
}
