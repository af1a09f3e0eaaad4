import type { ReadOutcome } from "@holdfast/core/files";

/** What a project tells every agent that works in it. */
export interface Instructions {
  /** As the workspace names it. */
  readonly path: string;
  readonly sha256: string;
  readonly text: string;
  /** Set where the file is longer than was taken. */
  readonly isCut?: true;
}

/** How instruction files are looked for. */
export interface InstructionSources {
  /** Folders from the outermost inwards, as the workspace names them; `""` is the root. */
  readonly folders: readonly string[];
  /** Names of files, the preferred one first: of each folder the first that is there counts. */
  readonly names: readonly string[];
  readonly read: (request: { readonly path: string }) => Promise<ReadOutcome>;
  /** Of one file, in characters; 64,000 unless given. */
  readonly mostChars?: number;
}

/** Reads the instruction files: one a folder. What cannot be read is no instruction. */
export async function readInstructions(sources: InstructionSources): Promise<readonly Instructions[]> {
  const found: Instructions[] = [];
  for (const folder of sources.folders) {
    for (const name of sources.names) {
      const instructions = await instructionsAt(folder === "" ? name : `${folder}/${name}`, sources);
      if (instructions === undefined) continue;
      found.push(instructions);
      break;
    }
  }
  return found;
}

async function instructionsAt(
  path: string,
  { read, mostChars = 64_000 }: InstructionSources,
): Promise<Instructions | undefined> {
  const outcome = await read({ path });
  if (outcome.kind !== "read") return undefined;
  const { content, sha256 } = outcome.state;
  if (content === null || content.trim() === "") return undefined;
  const isCut = content.length > mostChars || outcome.state.lines !== undefined;
  return { path, sha256, text: content.slice(0, mostChars), ...(isCut ? { isCut } : {}) };
}
