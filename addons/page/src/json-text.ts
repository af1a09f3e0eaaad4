import { escapeInJson } from "@holdfast/core/text";

/** JSON for a page: nothing in it can end the element that it stands in, or begin another one. */
export function inert(json: string): string {
  return escapeInJson(json).replace(
    /[<>&]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
