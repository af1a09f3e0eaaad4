/**
 * An esbuild plugin that imports each name from the module that makes it, past the `index` files of our rooms.
 * Chunks are cut by whole files: through an `index` file a command of one name would load every room behind it.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import ts from "typescript";

const here = import.meta.dirname;

/** For modules of ours, which do nothing on import: that is what makes their order and the unused ones no matter. */
export function pastBarrels() {
  return {
    name: "past-barrels",
    setup(bundler) {
      const modules = openModules(bundler);
      bundler.onLoad(
        { filter: /(?:packages|addons)[\\/][^\\/]+[\\/](src|dist)[\\/].*\.[jt]s$/ },
        async ({ path }) => {
          return {
            contents: inAscii(await rewritten(path, modules)),
            loader: path.endsWith(".ts") ? "ts" : "js",
            resolveDir: dirname(path),
          };
        },
      );
    },
  };
}

/** The text with its imports by name cut apart, one for each module that makes some of them. */
async function rewritten(path, modules) {
  const { text, statements } = await modules.read(path);
  const parts = [];
  let at = 0;
  for (const statement of statements) {
    if (!importsNames(statement)) continue;
    const from = await modules.resolve(statement.moduleSpecifier.text, path);
    if (from === undefined) continue;
    parts.push(text.slice(at, statement.getStart()), await importsOf(statement, from, modules));
    at = statement.getEnd();
  }
  return parts.join("") + text.slice(at);
}

async function importsOf(statement, from, modules) {
  const lines = [];
  for (const { isTypeOnly, name, propertyName } of statement.importClause.namedBindings.elements) {
    if (isTypeOnly) continue;
    const maker = await makerOf({ path: from, name: (propertyName ?? name).text }, modules);
    lines.push(`import { ${maker.name} as ${name.text} } from ${JSON.stringify(maker.path)};`);
  }
  return lines.join(" ");
}

/** The module that makes an exported name, and the name it has there. */
async function makerOf({ path, name }, modules) {
  const { passedOn } = await modules.read(path);
  const source = passedOn.get(name);
  if (source === undefined) return { path, name };
  const next = await modules.resolve(source.from, path);
  return next === undefined ? { path, name } : makerOf({ path: next, name: source.name }, modules);
}

/** Parsed once for all bundles. Parents are kept because `getStart` looks them up. */
const read = once(async (path) => {
  const text = await readFile(path, "utf8");
  const { statements } = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  return { text, statements, passedOn: passedOnBy(path, statements) };
});

function openModules(bundler) {
  const ofPackage = once(async (specifier) => {
    const found = await bundler.resolve(specifier, { kind: "import-statement", resolveDir: here });
    return found.path;
  });
  return {
    read,
    /** The path of a module of ours, `undefined` for everything else. */
    async resolve(specifier, importer) {
      if (specifier.startsWith("@holdfast/")) return ofPackage(specifier);
      if (!specifier.startsWith(".") || !specifier.endsWith(".js")) return undefined;
      const path = join(dirname(importer), specifier);
      return importer.endsWith(".ts") ? path.replace(/\.js$/, ".ts") : path;
    },
  };
}

function once(work) {
  const known = new Map();
  return (key) => {
    if (!known.has(key)) known.set(key, work(key));
    return known.get(key);
  };
}

/** What a module exports that other modules make: `export { name as other } from "./module.js"`. */
function passedOnBy(path, statements) {
  const names = new Map();
  for (const { kind, exportClause, moduleSpecifier } of statements) {
    if (kind !== ts.SyntaxKind.ExportDeclaration || moduleSpecifier === undefined) continue;
    if (exportClause === undefined) throw new Error(`${path}: "export *" hides which names it passes on`);
    for (const { name, propertyName } of exportClause.elements ?? []) {
      names.set(name.text, { from: moduleSpecifier.text, name: (propertyName ?? name).text });
    }
  }
  return names;
}

function importsNames(statement) {
  const clause = ts.isImportDeclaration(statement) ? statement.importClause : undefined;
  if (clause === undefined || clause.isTypeOnly || clause.name !== undefined) return false;
  return clause.namedBindings !== undefined && ts.isNamedImports(clause.namedBindings);
}

/**
 * The bundler writes strings in ASCII, and patterns as they stand: an escape means the same in both. In a raw template it means
 * the same only where a pattern is made of it, as all of ours are.
 *
 * @param {string} text of a module
 */
export function inAscii(text) {
  const escaped = (/** @type {number} */ unit) => `\\u${unit.toString(16).padStart(4, "0")}`;
  return text.replace(/\P{ASCII}/gu, (char) =>
    [...Array(char.length).keys()].map((at) => escaped(char.charCodeAt(at))).join(""),
  );
}
