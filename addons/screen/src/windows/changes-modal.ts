import type { CommandHost } from "@holdfast/agent";
import {
  changedFiles,
  elastic,
  type FileStates,
  type FileStateThen,
  type Line,
  span,
  stateWords,
  type WindowSize,
  writtenWord,
} from "@holdfast/agent/shown";
import type { Key } from "../input/keys.js";
import {
  closes,
  framed,
  keyLines,
  type Modal,
  type ModalStep,
  nameOf,
  rowsAround,
  rowsMoved,
} from "../screen/modal.js";
import { page } from "../screen/pager.js";
import { diffOfStates } from "./tree-source.js";

/** A state of a file as a row, and the one before it. */
interface StateRow {
  readonly file: FileStates;
  readonly state: FileStateThen;
  readonly before?: FileStateThen;
  readonly isNow: boolean;
}

interface ShownChanges {
  readonly rows: readonly StateRow[];
  readonly at: number;
  readonly marked?: StateRow;
  readonly said?: string;
}

/** Every file that changed in a conversation with each of its states: to look at, to compare, to go back to. */
export function changesModal(host: CommandHost): Modal {
  const rows = changedFiles(host.manager.context).flatMap((file) =>
    file.states.map((state, at): StateRow => {
      const before = file.states[at - 1];
      const isNow = at === file.states.length - 1;
      return before === undefined ? { file, state, isNow } : { file, state, before, isNow };
    }),
  );
  return new ChangesModal(host, { rows, at: Math.max(0, rows.length - 1) });
}

class ChangesModal implements Modal {
  constructor(
    private readonly host: CommandHost,
    private readonly shown: ShownChanges,
  ) {}

  view(size: WindowSize): readonly Line[] {
    const { rows, at, said } = this.shown;
    const foot = said === undefined ? keyLines(keys, size) : [[span(said, "note")]];
    const body = (height: number): readonly Line[] =>
      rows.length === 0
        ? [[span("No file has changed here.", "faint")]]
        : rowsAround(rows, at, height, (row) => this.#row(row));
    return framed([span("Changes of this conversation", "heading")], body, foot, size);
  }

  update(key: Key, { rows: height }: WindowSize): ModalStep {
    const name = nameOf(key);
    const row = this.shown.rows[this.shown.at];
    const by = rowsMoved(name, height);
    if (by !== undefined)
      return this.#set({ at: Math.max(0, Math.min(this.shown.at + by, this.shown.rows.length - 1)) });
    if (closes(name)) return { kind: "closed" };
    if (row === undefined) return this.#set({});
    switch (name) {
      case "enter":
        return row.before === undefined
          ? this.#set({ said: "Nothing is known of this file before." })
          : this.#diff(row.file.path, row.before, row.state);
      case "d":
        return this.#compare(row);
      case "r": {
        if (row.isNow) return this.#set({ said: "The file is in this state now." });
        const { sha256, mode } = row.state;
        return {
          kind: "closed",
          line: `/changes ${writtenWord(row.file.path)} --to ${sha256 ?? writtenWord(stateWords(null, mode))}`,
        };
      }
      default:
        return this.#set({});
    }
  }

  #compare(row: StateRow): ModalStep {
    const { marked } = this.shown;
    if (marked === undefined)
      return this.#set({ marked: row, said: "Marked. Choose another state of this file, and press d." });
    if (marked.file !== row.file)
      return this.#set({ marked: row, said: "Two states of one file are compared. This one is marked now." });
    return this.#diff(row.file.path, marked.state, row.state);
  }

  #diff(path: string, from: FileStateThen, to: FileStateThen): ModalStep {
    const title = `${path}: ${stateWords(from.sha256, from.mode)} → ${stateWords(to.sha256, to.mode)}`;
    const wish = async () => {
      const { marked: _, ...rest } = this.shown;
      const lines = await diffOfStates({ path, from: from.sha256, to: to.sha256 }, this.host);
      return page(title, lines, new ChangesModal(this.host, rest));
    };
    return { kind: "shown", modal: this, wish };
  }

  #row({ file, state, before, isNow }: StateRow) {
    const by = state.by === "tool" ? "made here" : before === undefined ? "first seen" : "changed by others";
    const line = [
      ...(before === undefined ? [elastic(file.path, "strong")] : [span("    ")]),
      span(`  ${stateWords(state.sha256, state.mode)}  ${by}`, "faint"),
      ...(isNow ? [span("  now", "accent")] : []),
    ];
    return { line, isMarked: this.shown.marked?.state === state };
  }

  #set(changes: Partial<ShownChanges>): ModalStep {
    const { said: _, ...rest } = this.shown;
    return { kind: "shown", modal: new ChangesModal(this.host, { ...rest, ...changes }) };
  }
}

const keys = "↑↓ move  Enter what it changed  q close  d compare with another state  r put back";
