import { openSync } from "node:fs";

/** Who holds a descriptor that this process can do without: a replaced file that is still watched. */
export interface DescriptorHolder {
  /** Takes the last look that is worth it, and closes. Must not throw, nor open anything. */
  letGo(): void;
}

/** Of all workspaces of this process, since they share its table of descriptors; the oldest first. */
const holders = new Set<DescriptorHolder>();

/** From now on the descriptor may be taken back when none is left. */
export function holdDescriptor(holder: DescriptorHolder): void {
  holders.add(holder);
}

/** The descriptor is closed. */
export function dropDescriptor(holder: DescriptorHolder): void {
  holders.delete(holder);
}

/**
 * Does what needs a descriptor. Where none is left, what can be let go is let go, one after the other, and the call
 * is made again: it failed without having done anything.
 *
 * @throws the system's error.
 */
export function withDescriptor<Result>(open: () => Result): Result {
  for (;;) {
    try {
      return open();
    } catch (error) {
      if (!isForWant(error) || !letOneGo()) throw error;
    }
  }
}

/** `openSync` in that way. */
export function openDescriptor(path: string, flags: string | number, mode?: number): number {
  return withDescriptor(() => openSync(path, flags, mode));
}

function letOneGo(): boolean {
  const [oldest] = holders;
  if (oldest === undefined) return false;
  holders.delete(oldest);
  oldest.letGo();
  return true;
}

/** Whether a call failed since no descriptor is left to this process, or to the machine. */
export function isForWant(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "EMFILE" || error.code === "ENFILE";
}
