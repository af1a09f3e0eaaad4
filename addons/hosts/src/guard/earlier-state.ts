import { changeHeading } from "@holdfast/core/files";
import { isKnownWhole, lineEdits } from "@holdfast/core/files/seen";
import type { HostFact, HostMemory } from "@holdfast/core/node";
import { describeShown, diffTexts } from "@holdfast/core/patch";
import type { GuardedFile } from "./guarded-file.js";
import { countLines, decode } from "./host-text.js";

/** A state that the session saw before the present one, and what became of it. */
export interface EarlierState {
  readonly sha256: string;
  readonly text: string;
  /** Every line of it is known. */
  readonly isWhole: boolean;
  /** The difference up to the present state, under its heading; undefined where it is longer than what it is for. */
  readonly difference: string | undefined;
  /** What the session knows once the difference was shown to it. */
  readonly facts: readonly HostFact[];
}

/** The newest state that was seen and is kept, where its text and the present one may be shown. */
export function earlierState(file: GuardedFile, memory: HostMemory): EarlierState | undefined {
  const { path, sha256, bytes, text: mayShow } = file;
  const present = decode(bytes);
  if (sha256 === null || mayShow === undefined || present === undefined) return undefined;
  const known = memory.known(path);
  for (const state of known.states(path)) {
    const record = known.find(path, state);
    const text = record?.isSeen === true ? textOf(memory.kept(state)) : undefined;
    if (record === undefined || text === undefined) continue;
    const total = record.total ?? countLines(text);
    return {
      sha256: state,
      text,
      isWhole: isKnownWhole({ total, lines: record.lines.map(({ from, to }) => ({ from, to })) }),
      ...since(state, text, sha256, present),
    };
  }
  return undefined;
}

/** Secrets and what lies elsewhere have no text here, and are not kept. */
export function keepText({ sha256, bytes, text }: GuardedFile, memory: HostMemory): void {
  if (sha256 === null || bytes === undefined || text === undefined || bytes.length > mostKept) return;
  memory.keep(sha256, bytes);
}

/** In bytes: of a larger file no change is shown. */
const mostKept = 1024 * 1024;

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : decode(bytes);
}

function since(before: string, old: string, after: string, present: string) {
  const shown = describeShown(old, present, { context: 1, maxLines: 1_000 });
  const isShort =
    shown.isWhole && shown.text.length <= Math.min(mostShown, Math.max(present.length, alwaysShown));
  const total = countLines(present);
  const changes = lineEdits(diffTexts(old, present, 200));
  const facts: readonly HostFact[] = [
    { kind: "changed", before, after, version: 0, total, changes },
    { kind: "shown", sha256: after, lines: shown.lines, total },
  ];
  return { difference: isShort ? `${changeHeading}\n${shown.text}` : undefined, facts };
}

/** In UTF-16 units: of a file, or of a difference. */
export const mostShown = 24_000;
/** So short a difference is shown alone, however short the file is. */
const alwaysShown = 2_000;
