import picomatch from "picomatch/posix.js";
import { isRefusal } from "./outcome.js";
import type { Session } from "./session.js";
import type {
  ListOutcome,
  ListRequest,
  ReadManyOutcome,
  ReadManyRequest,
  ReadOutcome,
  ReadRequest,
} from "./workspace-types.js";

/**
 * Reads the named paths, then what the globs match in the order of their names, each path once, until the
 * total cap is reached; what it left out is named with its size.
 */
export async function readMany(
  workspace: Reader,
  session: Session,
  request: ReadManyRequest,
): Promise<ReadManyOutcome> {
  const paths = new Set([...(request.paths ?? []), ...(await matching(workspace, request))]);
  const files: ReadOutcome[] = [];
  const leftOut: { path: string; sizeBytes: number }[] = [];
  let total = 0;
  for (const path of paths) {
    const size = await sizeOf(session, path);
    if (total > 0 && total + size > session.limits.manyReadBytes) {
      leftOut.push({ path, sizeBytes: size });
      continue;
    }
    const outcome = await workspace.read({
      path,
      ...(request.encoding === undefined ? {} : { encoding: request.encoding }),
    });
    if (outcome.kind === "read") total += size;
    files.push(outcome);
  }
  return { kind: "read_many", files, leftOut };
}

/** The part of a workspace that this needs. */
interface Reader {
  read(request: ReadRequest): Promise<ReadOutcome>;
  list(request: ListRequest): Promise<ListOutcome>;
}

/** How deep and how far a glob looks; beyond it the caller has to name a folder. */
const globDepth = 32;
const globEntries = 100_000;

async function matching(
  workspace: Pick<Reader, "list">,
  request: ReadManyRequest,
): Promise<readonly string[]> {
  const globs = request.globs ?? [];
  if (globs.length === 0) return [];
  const wanted = picomatch([...globs], { dot: true });
  const excluded = picomatch([...(request.exclude ?? [])], { dot: true });
  const listing = await workspace.list({ depth: globDepth, limit: globEntries });
  if (listing.kind === "refusal") return [];
  return listing.entries
    .filter((entry) => !entry.isDirectory && entry.openable && entry.special !== "other")
    .map((entry) => entry.path)
    .filter((path) => wanted(path) && !excluded(path))
    .sort();
}

/** The size on disk, 0 where it cannot be told: the read itself will say why. */
async function sizeOf(session: Session, path: string): Promise<number> {
  const place = await session.ports.disk.enter(path, "allow");
  if (isRefusal(place)) return 0;
  try {
    const entry = await place.look();
    return entry.kind === "file" ? entry.size : 0;
  } finally {
    await place.close();
  }
}
