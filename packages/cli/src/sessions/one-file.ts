import { type Refusal, refuse } from "@holdfast/core/files";
import type { NotRead } from "@holdfast/core/node";

/**
 * What is done with one file of many. What a mistake of ours throws at it is told with the file's name and as what it
 * is, so that the others have their turn.
 */
export async function amongOthers<Result>(
  place: string,
  work: () => Promise<Result>,
): Promise<Result | Refusal> {
  try {
    return await work();
  } catch (error) {
    return refuse("internal_error", `${place} was not imported: ${faultOf(error)}.`);
  }
}

/** The same, for a file that is only looked at. */
export async function lookedAt<Facts>(look: () => Promise<Facts | NotRead>): Promise<Facts | NotRead> {
  try {
    return await look();
  } catch (error) {
    return { kind: "unreadable", why: faultOf(error) };
  }
}

/** Where no file can be opened any more the next one fares no better: then the whole command says so. */
function faultOf(error: unknown): string {
  if (error instanceof Error && "code" in error && (error.code === "EMFILE" || error.code === "ENFILE"))
    throw error;
  const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return `an error of Holdfast (${said})`;
}
