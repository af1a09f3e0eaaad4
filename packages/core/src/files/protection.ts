import { below } from "./ignore-rules.js";
import { protectedReason } from "./path-policy.js";
import type { Place } from "./ports.js";
import { type Refusal, refuse, refuseIn } from "./refusal.js";
import type { Session } from "./session.js";

/**
 * Refuses a place that is not written in without a person's approval: as it was asked for, and as what the
 * walk arrived at.
 *
 * @param asked the tidied path of the request.
 */
export function refuseProtected(session: Session, place: Place, asked: string): Refusal | undefined {
  if (session.ownFolders.some((folder) => `${place.realPath}/`.startsWith(`${folder}/`))) {
    return refuse(
      "protected_path",
      "This is the tools' own state folder: nothing is written there for anybody.",
    );
  }
  const { disk } = session.ports;
  const arrived = disk.realRoots.map((root) => below(root, place.realPath));
  const named = asked.startsWith("/") ? disk.roots.map((root) => below(root, asked)) : [asked];
  const reason = [...arrived, ...named]
    .map((path) => (path === undefined ? undefined : protectedReason(path)))
    .find((found) => found !== undefined);
  if (reason === undefined || session.allowsProtected(place.relativePath)) return undefined;
  return refuseIn(
    "protected_path",
    "Writing here needs a person's explicit approval[ ({approval})]: this is $reason. Reading is allowed.",
    { reason },
  );
}
