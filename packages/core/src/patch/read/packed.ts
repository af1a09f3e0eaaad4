import { isExecutable } from "./sections.js";

/** The bytes of one file as `git diff --binary` packs them, and what says whether they are meant for a file. */
export interface PackedDiff {
  readonly isCreation: boolean;
  readonly isExecutable: boolean;
  /** Git's names of the contents before and after it. */
  readonly blobs: readonly string[] | undefined;
  /** Makes the new bytes; the one after it, which git adds, the old ones of the new ones. */
  readonly parts: readonly PackedPart[];
}

/** Whole bytes, or by which steps they are made of others: `size` of them, deflated, in lines of base 85. */
export interface PackedPart {
  readonly isDelta: boolean;
  readonly size: number;
  readonly lines: readonly string[];
}

/** The line above packed bytes. */
export const packedHeader = "GIT binary patch";

/** Whether a line below that one belongs to the bytes. @param isInside a part of them was begun, and did not end. */
export function isPackedLine(line: string, isInside: boolean): boolean {
  return line === "" || (isInside ? /^[A-Za-z](?:[!-~]{5}){1,13}$/ : partBegins).test(line);
}

/** The packed bytes of a section as `splitByFile` gives it; undefined of a diff of lines. */
export function readPacked(diff: string): PackedDiff | undefined {
  const [head, mode, ...blobs] = packedBegins.exec(diff) ?? [];
  if (head === undefined) return undefined;
  const parts: { isDelta: boolean; size: number; lines: string[] }[] = [];
  for (const line of diff.slice(head.length).split(/\r?\n/)) {
    const [, method, size] = partBegins.exec(line) ?? [];
    if (method !== undefined) parts.push({ isDelta: method === "delta", size: Number(size), lines: [] });
    else if (line !== "") parts.at(-1)?.lines.push(line);
  }
  const named = blobs[0] === undefined ? undefined : blobs;
  return { isCreation: mode !== undefined, isExecutable: isExecutable(mode), blobs: named, parts };
}

const partBegins = /^(literal|delta) (\d{1,10})$/;
const packedBegins = /^(?:new file mode (\d+)\n)?(?:index ([0-9a-f]+)\.\.([0-9a-f]+)\n)?GIT binary patch\n/;
