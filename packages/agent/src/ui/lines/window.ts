/** The cells of a window. */
export interface WindowSize {
  readonly columns: number;
  readonly rows: number;
}

/** Whether a window is so small that what is asked is not seen: all of it fits, or there is room to scroll through it. */
export function isTooSmall({ columns, rows }: WindowSize, wantedRows: number): boolean {
  return wantedRows > rows && (columns < 40 || rows < 10);
}

/** Why a yes is not taken. */
export const tooSmall =
  "This window is too small to show what is asked: only a no is taken. Make it larger, and answer again.";
