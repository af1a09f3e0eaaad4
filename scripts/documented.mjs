// Fails on an exported function, class or type without a docstring, in all sources of all packages: what leaves a
// door is declared in one of them.
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const house = resolve(dirname(fileURLToPath(import.meta.url)), "..");

const findings = sourceFiles().flatMap((file) => undocumented(file));
for (const { file, line, kind, name } of findings) console.error(`${file}:${line} ${kind} ${name}`);
console.log(`${findings.length} exported names without a docstring.`);
process.exitCode = findings.length > 0 ? 1 : 0;

/** @returns {readonly string[]} the sources of all packages. */
function sourceFiles() {
  const found = ts.sys.readDirectory(
    join(house, "packages"),
    [".ts"],
    ["**/node_modules", "**/dist"],
    ["*/src/**/*.ts"],
  );
  return found.filter((file) => !file.endsWith(".d.ts"));
}

/** @param {string} file */
function undocumented(file) {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const path = relative(house, file);
  /** @type {{ file: string, line: number, kind: string, name: string }[]} */
  const found = [];
  /** A function's overloads share the docstring of the first. */
  const named = new Set();
  for (const statement of source.statements) {
    const kind = kindOf(statement);
    if (kind === undefined || !isExported(statement)) continue;
    const name = statement.name?.text ?? "default";
    if (named.has(name)) continue;
    named.add(name);
    if (ts.getJSDocCommentsAndTags(statement).length > 0) continue;
    const line = source.getLineAndCharacterOfPosition(statement.getStart(source)).line + 1;
    found.push({ file: path, line, kind, name });
  }
  return found;
}

/** @param {ts.Statement} statement */
function kindOf(statement) {
  if (ts.isFunctionDeclaration(statement)) return "function";
  if (ts.isClassDeclaration(statement)) return "class";
  if (ts.isInterfaceDeclaration(statement)) return "interface";
  if (ts.isTypeAliasDeclaration(statement)) return "type";
  return undefined;
}

/** @param {ts.Statement} statement */
function isExported(statement) {
  return ts.getCombinedModifierFlags(statement) & ts.ModifierFlags.Export;
}
