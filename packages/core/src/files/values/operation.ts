import { defined } from "../../text/index.js";
import type { FileAccess } from "./disk.js";

/**
 * One entry of the operation log: a write, a change set, an undo, a restore. What no operation says did not happen. A state
 * that was read, or that another program lost, is recorded as an operation, too.
 */
export interface Operation {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The session that wrote. */
  readonly session: string;
  readonly tool: string;
  /** Where a conversation made it. */
  readonly caller?: WriteCaller;
  /** For an undo: the id of the operation that it took back. */
  readonly undoes?: string;
  /** Of a change set, which is undone as a whole: its id. Earlier releases gave each of its files an id of its own beside it. */
  readonly changeSet?: string;
  readonly files: readonly OperationFile[];
}

/** For what of a conversation a write is made. */
export type WriteCaller =
  | {
      /** The id of the conversation's session. */
      readonly conversation: string;
      /** The node of the call. */
      readonly call: string;
    }
  | {
      readonly conversation: string;
      /** The id of the restore that puts files back. */
      readonly restore: string;
    };

/** What an operation did to one file. */
export interface OperationFile {
  readonly realPath: string;
  /** The name that the call of a conversation used. */
  readonly path?: string;
  /** SHA-256 before and after; `null` where there was, or is, no file. */
  readonly before: string | null;
  readonly after: string | null;
  /** The state before or after it, whichever there is, is a link's: the bytes of its text. */
  readonly isLink?: true;
  /** The `after` state was never current: another program lost it to a write at the same moment. */
  readonly displaced?: boolean;
  /** Of a file that may hold secrets: for how long its states are kept, where that is not the seven days. */
  readonly keepSecrets?: number | "none";
  /** It is written into the file that is there: a kill can leave that half written. */
  readonly inPlace?: true;
  /** Real paths of the folders that were made for this write, an outer one before those in it. */
  readonly folders?: readonly string[];
  /** Who could use the file before it. Entries of earlier builds have it of deletions alone. */
  readonly access?: FileAccess | undefined;
  /** Whether the write made it a file that may be run, or took that away; absent where it did neither. */
  readonly executable?: boolean;
}

/** An operation as one of its files has it. */
export interface HistoryEntry extends Omit<Operation, "files" | "caller">, Omit<OperationFile, "path"> {
  readonly caller?: WriteCaller & { readonly path: string };
}

/** The operation of which these are the entries: one of a file alone, or those of a change set. */
export function operationOf(entries: readonly HistoryEntry[]): Operation {
  const files = entries.map(({ id, time, session, tool, undoes, changeSet, caller, ...change }) => ({
    ...change,
    ...defined({ path: caller?.path }),
  }));
  const [first] = entries;
  if (first === undefined) throw new Error("an operation has files");
  const { time, session, tool, undoes, changeSet, caller: named } = first;
  const { path: _, ...caller } = named ?? { path: "" };
  // A cast: what is left of a caller is one.
  const by = named === undefined ? {} : { caller: caller as WriteCaller };
  return { id: changeSet ?? first.id, time, session, tool, ...by, ...defined({ undoes, changeSet }), files };
}

/** What an operation is to each of its files. */
export function entriesOf({ files, caller, ...operation }: Operation): readonly HistoryEntry[] {
  return files.map(({ path, ...change }) => ({
    ...operation,
    ...change,
    ...(caller === undefined || path === undefined ? {} : { caller: { ...caller, path } }),
  }));
}
