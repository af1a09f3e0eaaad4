import { element } from "./dom.js";

/** A remark of the page. */
export function quiet(text: string): HTMLElement {
  return element("p", { class: "quiet" }, text);
}

/** A text that a machine wrote, letter by letter; lines of a diff in it are coloured. */
export function code(text: string): HTMLElement {
  const lines = text.split("\n");
  const isDiff = lines.some((line) => line.startsWith("@@ "));
  if (!isDiff) return element("pre", { class: "code", tabindex: 0 }, text);
  const painted = lines.map((line) => element("span", { class: diffClass(line) }, `${line}\n`));
  return element("pre", { class: "code", tabindex: 0 }, ...painted);
}

function diffClass(line: string): string | undefined {
  if (line.startsWith("@@")) return "hunk";
  if (/^(\+\+\+|---) /.test(line)) return "quiet";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : undefined;
}
