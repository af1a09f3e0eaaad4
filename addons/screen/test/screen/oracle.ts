import type { WindowSize } from "@holdfast/agent/shown";
import xterm from "@xterm/headless";

/** A terminal that says what stands in its scrollback and on its screen. */
export class Oracle {
  readonly #terminal: xterm.Terminal;

  constructor({ columns, rows }: WindowSize) {
    this.#terminal = new xterm.Terminal({
      cols: columns,
      rows,
      scrollback: 100_000,
      allowProposedApi: true,
      // As tmux and VTE do.
      reflowCursorLine: true,
    });
  }

  write(bytes: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(bytes, resolve));
  }

  resize({ columns, rows }: WindowSize): void {
    this.#terminal.resize(columns, rows);
  }

  /** All lines, from the oldest on, with their soft breaks taken out, and without empty ones at the end. */
  lines(): readonly string[] {
    const { active } = this.#terminal.buffer;
    const lines: string[] = [];
    for (let at = 0; at < active.length; at += 1) {
      const row = active.getLine(at);
      const text = row?.translateToString(true) ?? "";
      if (row?.isWrapped === true) lines[lines.length - 1] += text;
      else lines.push(text);
    }
    const shown = lines.map((line) => line.trimEnd());
    return shown.slice(0, shown.findLastIndex((line) => line !== "") + 1);
  }

  /** All rows as they are seen, from the oldest on. */
  rows(): readonly string[] {
    const { active } = this.#terminal.buffer;
    return Array.from(
      { length: active.length },
      (_, at) => active.getLine(at)?.translateToString(true) ?? "",
    );
  }

  /** The cursor's row as it stands, and its column. */
  cursor(): { readonly row: string; readonly column: number } {
    const { active } = this.#terminal.buffer;
    const row = active.getLine(active.baseY + active.cursorY)?.translateToString(true) ?? "";
    return { row: row.trimEnd(), column: active.cursorX };
  }

  get modes(): xterm.IModes {
    return this.#terminal.modes;
  }

  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === "alternate";
  }
}
