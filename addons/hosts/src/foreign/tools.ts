import { readingTools, writingTools } from "../clients.js";

/** What the tools of Claude Code are here: several, where ours are finer. */
const ours: Readonly<Record<string, readonly string[]>> = {
  Bash: ["run_shell_command"],
  Read: readingTools,
  Edit: writingTools,
  MultiEdit: writingTools,
  Write: writingTools,
  NotebookEdit: writingTools,
  Grep: ["search_files"],
  Glob: ["find_files", "list_files"],
  LS: ["list_files"],
  WebFetch: ["fetch_url"],
  WebSearch: ["web_search"],
  TodoWrite: ["update_todos"],
};

/** The tools that a rule of Claude Code names; none where ours has no such tool. */
export function toolsNamed(name: string): readonly string[] {
  const [, server, tool] = /^mcp__([\w-]+?)(?:__(.+))?$/.exec(name) ?? [];
  if (server !== undefined) return [`${server}__${tool ?? "*"}`];
  return Object.hasOwn(ours, name) ? (ours[name] ?? []) : [];
}

/** The tools that a matcher of a hook fits; undefined: all of them. */
export function toolsMatched(matcher: string): readonly string[] | undefined {
  if (matcher === "" || matcher === "*" || matcher === ".*") return undefined;
  const names = Object.keys(ours).filter((name) => fits(matcher, name));
  const servers = /^[\w|*.-]+$/.test(matcher)
    ? matcher.split("|").filter((one) => one.startsWith("mcp__"))
    : [];
  const ofServers = servers.flatMap((one) => toolsNamed(one.replace(/\.\*$|\*$/, "").replace(/__$/, "")));
  return [...new Set([...names.flatMap((name) => ours[name] ?? []), ...ofServers])];
}

/** A matcher is an expression over whole names; an odd one fits nothing. */
function fits(matcher: string, name: string): boolean {
  try {
    return new RegExp(`^(?:${matcher})$`).test(name);
  } catch {
    return false;
  }
}
