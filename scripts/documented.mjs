// Fails on an exported function, class or type without a docstring, in all sources of all packages: what leaves a
// door is declared in one of them. Fails, too, on a type name that a package declares twice, and on a term of the
// glossary that stands there twice or whose file is not there.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const house = resolve(dirname(fileURLToPath(import.meta.url)), "..");

const sources = sourceFiles().map((file) => parse(file));
const findings = sources.flatMap((source) => undocumented(source));
for (const { file, line, kind, name } of findings) console.error(`${file}:${line} ${kind} ${name}`);
console.log(`${findings.length} exported names without a docstring.`);

const types = sources.flatMap((source) => typesIn(source));
const repeated = types.filter((type) => types.some((other) => other !== type && other.key === type.key));
for (const { file, line, name } of repeated) console.error(`${file}:${line} type ${name} is declared twice`);
console.log(`${types.length} types, ${repeated.length} declared under a name of another one in the package.`);

const glossary = glossaryRows(readFileSync(join(house, "ARCHITECTURE.md"), "utf8"));
const flaws = glossaryFlaws(glossary);
for (const flaw of flaws) console.error(`ARCHITECTURE.md, glossary: ${flaw}`);
console.log(`${glossary.length} rows in the glossary, ${flaws.length} flaws in them.`);

const wrong = findings.length + repeated.length + flaws.length;
process.exitCode = wrong > 0 || types.length === 0 || glossary.length === 0 ? 1 : 0;

/** @returns {readonly string[]} the sources of all packages. */
function sourceFiles() {
  const found = ["packages", "addons"].flatMap((folder) =>
    ts.sys.readDirectory(join(house, folder), [".ts"], ["**/node_modules", "**/dist"], ["*/src/**/*.ts"]),
  );
  return found.filter((file) => !file.endsWith(".d.ts"));
}

/** @param {string} file */
function parse(file) {
  return ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
}

/** @param {ts.SourceFile} source */
function undocumented(source) {
  const path = relative(house, source.fileName);
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

/**
 * The types and classes of a file, exported or not.
 *
 * @param {ts.SourceFile} source
 */
function typesIn(source) {
  const file = relative(house, source.fileName);
  const [, pack = ""] = file.split("/");
  return source.statements.flatMap((statement) => {
    const kind = kindOf(statement);
    if (kind === undefined || kind === "function" || statement.name === undefined) return [];
    const name = statement.name.text;
    const line = source.getLineAndCharacterOfPosition(statement.getStart(source)).line + 1;
    return [{ file, line, name, key: `${pack} ${name}` }];
  });
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

/**
 * @param {string} page
 * @returns {readonly { terms: readonly string[], files: readonly string[] }[]}
 */
function glossaryRows(page) {
  const [, section = ""] = /^## Glossary$([\s\S]*?)^## /m.exec(page) ?? [];
  const rows = [...section.matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$/gm)].slice(1);
  return rows.map(([, terms = "", files = ""]) => ({
    terms: terms.split(", "),
    files: files.split(", ").map((file) => file.replaceAll("`", "")),
  }));
}

/** @param {ReturnType<typeof glossaryRows>} rows */
function glossaryFlaws(rows) {
  const terms = rows.flatMap((row) => row.terms);
  const twice = terms.filter((term, at) => terms.indexOf(term) !== at);
  const files = rows.flatMap((row) => row.files);
  const missing = files.filter((file) => !existsSync(join(house, "packages/core/src", file)));
  return [...twice.map((term) => `${term} stands there twice`), ...missing.map((file) => `no file ${file}`)];
}
