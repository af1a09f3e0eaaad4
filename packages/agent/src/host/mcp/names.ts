import { createHash } from "node:crypto";

/** A tool as its server names it. */
interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

/**
 * The names under which tools of servers are offered, as `server__tool`: such as every provider takes (letters, digits,
 * `_` and `-`, a letter or `_` first, at most 64), and no two alike. A name that would be too long or is taken already
 * ends in digits of the hash of what it stands for.
 *
 * @param taken names that are somebody else's.
 */
export function offeredNames(tools: readonly NamedTool[], taken: Iterable<string> = []): readonly string[] {
  const used = new Set(taken);
  return tools.map(({ server, tool }) => {
    const plain = beginningWell(`${plainly(server)}__${plainly(tool)}`);
    let name = plain.length <= longest && !used.has(plain) ? plain : hashed(plain, `${server}\0${tool}`);
    // The same tool listed twice.
    for (let again = 2; used.has(name); again++) name = hashed(plain, `${server}\0${tool}\0${again}`);
    used.add(name);
    return name;
  });
}

const longest = 64;
const hashDigits = 8;

function plainly(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

function beginningWell(name: string): string {
  return /^[A-Za-z_]/.test(name) ? name : `_${name}`;
}

function hashed(plain: string, full: string): string {
  const hash = createHash("sha256").update(full).digest("hex").slice(0, hashDigits);
  return `${plain.slice(0, longest - hashDigits - 1)}_${hash}`;
}
