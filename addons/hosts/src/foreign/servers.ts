import { isObject } from "@holdfast/core/text";
import { textsOf } from "../rules/settings-text.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** The servers of a `.mcp.json`. A server that names a variable which is not set is left out, and said. */
export function serversOf(
  given: unknown,
  disabled: readonly string[],
  environment: Environment | undefined,
): { readonly servers: Readonly<Record<string, object>>; readonly unused: readonly string[] } {
  const servers: Record<string, object> = {};
  const unused: string[] = [];
  for (const [name, server] of Object.entries(isObject(given) ? given : {})) {
    if (disabled.includes(name)) continue;
    const missing = new Set<string>();
    const made = serverOf(server, (text) => expanded(text, environment, missing));
    const shown = JSON.stringify(name);
    if (!/^[A-Za-z][\w.:/-]{0,127}$/.test(name)) unused.push(`the MCP server ${shown} (its name)`);
    else if (made === undefined) unused.push(`the MCP server ${shown} (neither a command nor an address)`);
    else if (missing.size > 0) unused.push(`the MCP server ${shown} (${[...missing].join(", ")} not set)`);
    else servers[name] = made;
  }
  return { servers, unused };
}

function serverOf(given: unknown, expand: (text: string) => string): object | undefined {
  if (!isObject(given)) return undefined;
  const { command, args, env, url, headers } = given;
  const texts = (value: unknown) =>
    Object.fromEntries(
      Object.entries(isObject(value) ? value : {}).flatMap(([key, text]) =>
        typeof text === "string" ? [[key, expand(text)]] : [],
      ),
    );
  if (typeof command === "string" && command !== "")
    return {
      command: expand(command),
      ...(args === undefined ? {} : { args: textsOf(args).map(expand) }),
      ...(env === undefined ? {} : { env: texts(env) }),
    };
  if (typeof url !== "string") return undefined;
  return { url: expand(url), ...(headers === undefined ? {} : { headers: texts(headers) }) };
}

/** `${NAME}` and `${NAME:-otherwise}`, as `.mcp.json` has them. */
function expanded(text: string, environment: Environment | undefined, missing: Set<string>): string {
  if (environment === undefined) return text;
  return text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
    const value = environment[name] ?? otherwise;
    if (value === undefined) missing.add(name);
    return value ?? "";
  });
}
