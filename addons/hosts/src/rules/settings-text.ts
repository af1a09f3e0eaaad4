import { isObject } from "@holdfast/core/text";

/**
 * The value of a text of JSON that may have comments and commas too many, as the clients read their settings. What is open
 * ends with the text, so that no pattern looks at a stretch twice.
 *
 * @throws SyntaxError for what is no JSON even so.
 */
export function readSettings(text: string): unknown {
  const bare = text.replace(/^\ufeff/, "");
  const plain = bare
    .replace(
      /("(?:\\[\s\S]|[^"\\])*(?:"|\\?$))|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
      (_, literal: string | undefined) => literal ?? " ",
    )
    .replace(
      /("(?:\\[\s\S]|[^"\\])*(?:"|\\?$))|,(?=\s*[}\]])/g,
      (_, literal: string | undefined) => literal ?? "",
    );
  return plain.trim() === "" ? {} : JSON.parse(plain);
}

/** A member somewhere in a value; undefined where there is none. */
export function memberAt(value: unknown, ...path: readonly string[]): unknown {
  const step = (inner: unknown, name: string) =>
    isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  return path.reduce(step, value);
}

/** The texts of a list; none where it is no list. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
