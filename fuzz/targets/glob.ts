import { compileGlob, compilePattern } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { ensure, partsOf, type Target } from "../target.js";

/**
 * A glob and paths, parted by `%%`. Held against: what matches lies below the glob's folder; a glob without signs means
 * itself; `**` and the path's own letters match; a slow matcher that tries everything says the same.
 */
export const glob: Target = {
  name: "glob",
  words: [
    "**",
    "*",
    "?",
    "[a-z]",
    "[!a]",
    "{a,b}",
    "{",
    "}",
    ",",
    "/",
    "**/",
    "./",
    "[",
    "]",
    "-",
    "!",
    "^",
    "é",
    "𝒳",
    "\n%%\n",
  ],
  async run(input) {
    const [pattern, paths] = partsOf(input);
    const compiled = await compileGlob(pattern);
    const expression = compilePattern(pattern, {});
    ensure(
      expression.kind === "refusal" || typeof expression === "object",
      "a pattern compiles or is refused",
    );
    if (isRefusal(compiled)) return;
    for (const path of paths.split("\n").slice(0, 8)) {
      if (path === "" || path.includes("//") || path.startsWith("/") || path.endsWith("/")) continue;
      const matched = compiled.matches(path);
      if (matched && compiled.folder !== "")
        ensure(path.startsWith(`${compiled.folder}/`), "a match lies below the folder", {
          path,
          folder: compiled.folder,
        });
      const wanted = slow(pattern, path);
      if (wanted !== undefined)
        ensure(matched === wanted, "a glob means what it says", { pattern, path, matched });
    }
    const plain = paths.split("\n")[0] ?? "";
    // Paths that are matched have no `.` and `..`; a glob may begin with them.
    if (/^(?!\.{1,2}(?:\/|$))[a-z0-9.]+(\/[a-z0-9]+)*$/.test(plain)) {
      const itself = await compileGlob(plain);
      ensure(
        !isRefusal(itself) && itself.matches(plain) && !itself.matches(`${plain}x`),
        "letters mean themselves",
        plain,
      );
    }
  },
};

/** Tries everything; undefined for what it does not know (braces, classes) or what would take long. */
function slow(pattern: string, path: string): boolean | undefined {
  if (/[{}[\]]/.test(pattern) || pattern.length > 40 || path.length > 40) return undefined;
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  return namesMatch(parts, path.split("/"));
}

function namesMatch(parts: readonly string[], names: readonly string[]): boolean {
  const [part, ...more] = parts;
  if (part === undefined) return names.length === 0;
  if (part === "**") return names.some((_, at) => namesMatch(more, names.slice(at))) || namesMatch(more, []);
  const [name, ...rest] = names;
  return name !== undefined && lettersMatch([...part], [...name]) && namesMatch(more, rest);
}

function lettersMatch(glob: readonly string[], name: readonly string[]): boolean {
  const [sign, ...more] = glob;
  if (sign === undefined) return name.length === 0;
  if (sign === "*") return name.some((_, at) => lettersMatch(more, name.slice(at))) || lettersMatch(more, []);
  return name.length > 0 && (sign === "?" || sign === name[0]) && lettersMatch(more, name.slice(1));
}
