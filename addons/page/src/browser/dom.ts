import { escapeUnseen } from "@holdfast/core/text";

/** What can stand in an element. A text is never read as HTML, and nothing in it acts: see `plain`. */
export type Child = Node | string;

/** Attributes of an element; one that is undefined is not set. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** An element with attributes and children; `undefined` and `false` leave an attribute away. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    made.setAttribute(name, value === true ? "" : plain(String(value)));
  }
  fill(made, ...children);
  return made;
}

/** Replaces what stands in an element. */
export function fill(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren(...children.map((child) => (typeof child === "string" ? plain(child) : child)));
}

/** A button that does one thing. */
export function button(
  attributes: Attributes,
  act: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", act);
  return made;
}

/** The element of the page's own frame with this id. */
export function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found;
}

/**
 * Controls, bidirectional overrides, invisible marks and lone surrogates as `\u....`, so that a text looks
 * like what it is. Line feeds and tabs stay; a return before a line feed goes.
 */
export function plain(text: string): string {
  return escapeUnseen(text.replace(/\r(?=\n)/g, ""));
}
