import { part } from "./dom.js";

/** The lines between the panes, which can be dragged, or moved by the keys while they have the focus. */
export function watchSplitters(): void {
  for (const { id, column, pane, label } of splitters) {
    const line = part(id);
    const facts = { role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": label };
    for (const [name, value] of Object.entries({ ...facts, "aria-controls": pane }))
      line.setAttribute(name, value);
    new Splitter(line, column, pane);
  }
}

const splitters = [
  { id: "split-left", column: "--left", pane: "left", label: "Width of the tree" },
  { id: "split-right", column: "--right", pane: "right-pane", label: "Width of the files" },
] as const;

/** No pane gets narrower than this, nor wider than so much of the window. */
const leastPixels = 180;
const mostOfWindow = 0.7;
const stepPixels = 24;

class Splitter {
  private readonly panes = document.querySelector("main") ?? document.body;
  private width: number | undefined;

  constructor(
    private readonly line: HTMLElement,
    private readonly column: "--left" | "--right",
    private readonly pane: string,
  ) {
    line.addEventListener("pointerdown", (event) => this.drag(event));
    line.addEventListener("keydown", (event) => this.press(event));
    line.addEventListener("dblclick", () => this.reset());
    this.tell();
    addEventListener("resize", () => this.tell());
  }

  private drag(event: PointerEvent): void {
    event.preventDefault();
    this.line.focus();
    this.line.setPointerCapture(event.pointerId);
    const [from, width] = [event.clientX, this.now()];
    const move = ({ clientX }: PointerEvent) => this.set(width + this.grows(clientX - from));
    const end = () => this.line.removeEventListener("pointermove", move);
    this.line.addEventListener("pointermove", move);
    this.line.addEventListener("pointerup", end, { once: true });
    this.line.addEventListener("pointercancel", end, { once: true });
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = this.keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  }

  private readonly keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => this.set(this.now() + this.grows(-stepPixels)),
    ArrowRight: () => this.set(this.now() + this.grows(stepPixels)),
    Home: () => this.set(leastPixels),
    End: () => this.set(this.most()),
    Enter: () => this.reset(),
  };

  /** The pane on the right gets wider where its line goes left. */
  private grows(pixels: number): number {
    return this.column === "--left" ? pixels : -pixels;
  }

  private set(width: number): void {
    this.width = Math.round(Math.min(this.most(), Math.max(leastPixels, width)));
    this.panes.style.setProperty(this.column, `${this.width}px`);
    this.tell();
  }

  private reset(): void {
    this.width = undefined;
    this.panes.style.removeProperty(this.column);
    this.tell();
  }

  private most(): number {
    return Math.round(innerWidth * mostOfWindow);
  }

  private now(): number {
    return this.width ?? part(this.pane).getBoundingClientRect().width;
  }

  private tell(): void {
    this.line.setAttribute("aria-valuenow", `${Math.round(this.now())}`);
    this.line.setAttribute("aria-valuemin", `${leastPixels}`);
    this.line.setAttribute("aria-valuemax", `${this.most()}`);
  }
}
