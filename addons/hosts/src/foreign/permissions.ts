import { join } from "node:path";
import { memberAt, textsOf } from "../rules/settings-text.js";
import { toolsNamed } from "./tools.js";

/** A rule of our settings. */
interface Rule {
  readonly tool: string;
  readonly path?: string;
  readonly command?: string;
  readonly decision: Decision;
}

type Decision = "deny" | "ask" | "allow";

/** What permissions of several files say: all that deny first, since no file allows what another one denies. */
export function rulesOf(
  files: readonly object[],
  place: { readonly folder: string; readonly home: string },
): { readonly rules: readonly Rule[]; readonly unused: readonly string[] } {
  const unused: string[] = [];
  const rules = (["deny", "ask", "allow"] as const).flatMap((decision) =>
    files.flatMap((settings) =>
      textsOf(memberAt(settings, "permissions", decision)).flatMap((text) => {
        const made = ruleOf(text.trim(), decision, place);
        if (made === undefined) unused.push(`${decision} ${text}`);
        return made ?? [];
      }),
    ),
  );
  return { rules, unused };
}

/** @returns undefined for a rule that says nothing here. */
function ruleOf(
  text: string,
  decision: Decision,
  place: { readonly folder: string; readonly home: string },
): readonly Rule[] | undefined {
  const [, name = "", given = ""] = /^([\w*-]+)\s*(?:\(([\s\S]*)\))?$/.exec(text) ?? [];
  const tools = toolsNamed(name);
  // Hosts that may be fetched are a list of their own.
  if (name === "WebFetch" && decision === "allow" && given.startsWith("domain:")) return [];
  if (tools.length === 0) return undefined;
  if (given === "" || given === "*") return [{ tool: tools.join("|"), decision }];
  if (name === "Bash") {
    const command = commandOf(given, decision);
    return command === undefined ? undefined : [{ tool: "run_shell_command", command, decision }];
  }
  if (!/^(?:Read|Edit|MultiEdit|Write|NotebookEdit|Grep|Glob|LS)$/.test(name)) return undefined;
  const globs = globsOf(given, decision, place);
  // What may not be read may not be changed either, nor found by another tool.
  const tool = decision !== "allow" && name === "Read" ? "*" : tools.join("|");
  return globs?.map((path) => ({ tool, path, decision }));
}

/** The words of a rule about commands: further words are a `*` at the end; a rule that denies or asks needs none. */
function commandOf(given: string, decision: Decision): string | undefined {
  const [, bare = "", open] = /^([\s\S]*?)(:\*|\s+\*)?$/.exec(given.trim()) ?? [];
  const isOneCommand = bare !== "" && !/[*;&|$`<>()\\"'\n#]/.test(bare) && !/^\w+=/.test(bare);
  if (!isOneCommand) return undefined;
  return open !== undefined && decision === "allow" ? `${bare} *` : bare;
}

/** Patterns as `.gitignore` has them, as globs. */
function globsOf(
  given: string,
  decision: Decision,
  { folder, home }: { readonly folder: string; readonly home: string },
): readonly string[] | undefined {
  const path = given.replace(/^(?:file_path|path|notebook_path):/, "").replace(/^(?:\.\/)+/, "");
  if (path.startsWith("!") || path.startsWith("../") || (path.includes("[") && !path.includes("]")))
    return undefined;
  const whole = path.replace(/\/$/, "/**");
  const glob = rootedGlob(whole, folder, home);
  // A folder that is denied is denied with all that lies in it.
  return decision === "allow" || /\*$/.test(whole) ? [glob] : [glob, `${glob}/**`];
}

function rootedGlob(path: string, folder: string, home: string): string {
  if (path.startsWith("//")) return path.slice(1);
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  if (path.startsWith("/")) return join(folder, path.slice(1));
  return path.includes("/") ? path : `**/${path}`;
}
