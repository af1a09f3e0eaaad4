import type {
  ImportedSession,
  ImportOptions,
  ImportProblem,
  SourceSession,
} from "@holdfast/core/conversation/import";
import type { ConversationRefusal } from "@holdfast/core/conversation/values";
import { type Advancing, defined, type Pace } from "@holdfast/core/text";
import { formatNames } from "../formats/source-format.js";
import { readSessionInSteps } from "../read-session-file.js";
import { filesBeside } from "./beside-files.js";
import { folderNotedBeside, importIdOf, sourceOf } from "./find-foreign.js";
import { agents } from "./foreign-homes.js";
import { type Offer, offerSessions, type SessionSource, sessionNamed, type WantedSessions } from "./offer.js";
import type { ReadLines } from "./read-lines.js";

/** What the command `holdfast sessions import` asks of this add-on. */
export interface Importers {
  /** The programs whose sessions are looked for on a machine. */
  readonly agents: readonly string[];
  /** What a file of each format is called. */
  readonly formatNames: Readonly<Record<string, string>>;
  /** Looks for sessions of one program, or of all. */
  offer(wanted: WantedSessions, pace: Pace): Promise<Offer | "interrupted">;
  /** The session that `AGENT:ID` names; undefined where a name is of another form, or that of a file. */
  named(name: string): Promise<SessionSource | ConversationRefusal | undefined>;
  /** Reads the session in a file with what lies beside it; `options.from` is the file. */
  read(text: string, options: ImportOptions): Promise<ReadSession>;
  /** The id under which a session is imported: the same each time. */
  importIdOf(source: SourceSession): string;
}

/** A session that is being read, and what could not be read beside its file. */
interface ReadSession {
  readonly work: Advancing<ImportedSession | ConversationRefusal>;
  readonly problems: readonly ImportProblem[];
}

/** @param readLines reads a file within limits. */
export function openImporters(readLines: ReadLines): Importers {
  return {
    agents,
    formatNames,
    offer: (wanted, pace) => offerSessions(wanted, pace, readLines),
    named: (name) => sessionNamed(name, readLines),
    async read(text, options) {
      const { from } = options;
      const noted = await folderNotedBeside(from);
      const beside = await filesBeside(from, text, readLines);
      const work = readSessionInSteps(text, {
        idOf: (source) => importIdOf(sourceOf(source, from)),
        ...options,
        beside: beside.files,
        ...defined({ cwd: noted.cwd }),
      });
      const unread = noted.problems.map(
        (message) => ({ line: 1, what: "unreadable_file", message }) as const,
      );
      return { work, problems: [...unread, ...beside.problems] };
    },
    importIdOf,
  };
}
