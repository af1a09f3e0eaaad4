import { isRefusal, type Refusal } from "../../files/values/index.js";
import { keptBytes } from "./blobs.js";
import { openStateFolder } from "./state-folder.js";

/** Reads kept bytes without opening a workspace. */
export interface KeptStates {
  readonly kind: "kept_states";
  /** The bytes of this SHA-256; undefined where they are kept no more. */
  readonly bytes: (sha256: string) => Uint8Array | undefined;
}

/**
 * The states of files that were read or written, as far as they are kept, without those of files that may hold secrets. Looking at them keeps none of
 * them longer.
 *
 * @param stateDir the user's state folder unless given.
 */
export function openKeptStates(stateDir?: string): KeptStates | Refusal {
  const state = openStateFolder(stateDir);
  if (isRefusal(state)) return state;
  return {
    kind: "kept_states",
    bytes: (sha256) => (/^[0-9a-f]{64}$/.test(sha256) ? keptBytes(state, sha256) : undefined),
  };
}
