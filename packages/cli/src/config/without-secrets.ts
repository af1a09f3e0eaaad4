/**
 * A value of the settings as it may be shown: keys, what headers and environments hold, passwords and queries of addresses
 * and what stands behind an option for a secret are left out.
 *
 * @param path the members that lead to the value.
 */
export function withoutSecrets(value: unknown, path: readonly string[]): unknown {
  if (typeof value === "string") return isSecret(path) ? hidden : withoutPassword(value);
  if (Array.isArray(value))
    return value.map((one, at) => (isBehindOption(value, at) ? hidden : withoutSecrets(one, path)));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner, [...path, name])]),
  );
}

const hidden = "(hidden)";

/** `model.providers.NAME.key` and `.headers.*`, `mcpServers.NAME.env.*` and `.headers.*`. */
function isSecret(path: readonly string[]): boolean {
  const [section, second] = path;
  const inside = section === "mcpServers" ? path.slice(2) : second === "providers" ? path.slice(3) : [];
  const [member] = inside;
  return member === "key" || ((member === "headers" || member === "env") && inside.length > 1);
}

/** An argument such as `me` in `--api-key me`. */
function isBehindOption(list: readonly unknown[], at: number): boolean {
  const option = list[at - 1];
  return typeof option === "string" && secretOption.test(option);
}

const secretOption = /^--?[\w-]*(key|token|secret|password|passwd|auth|credential)[\w-]*$/iu;

function withoutPassword(text: string): string {
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/[^/@:\s]*):[^/@\s]*@/i, `$1:${hidden}@`)
    .replace(/^(https?:\/\/[^?#\s]*\?)[^#\s]+/i, `$1${hidden}`)
    .replace(/^(--?[\w-]*(?:key|token|secret|password|passwd|auth|credential)[\w-]*=).+$/isu, `$1${hidden}`);
}
