// Writes docs/doors.md: each door of each package with its names, a sentence a name, out of the docstrings. With
// `--check`, fails where the page says something else, or where a name has no sentence.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const page = "docs/doors.md";
/** Whoever opens a door reads all of its names. */
const mostNames = 120;
const doors = ["core", "agent", "mcp"].flatMap((name) => doorsOf(`packages/${name}`));
const program = ts.createProgram(
  doors.map(({ file }) => file),
  {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    customConditions: ["holdfast-source"],
    skipLibCheck: true,
  },
);
const checker = program.getTypeChecker();
const withNames = doors.map((door) => ({ ...door, names: namesOf(door.file) }));
const wide = withNames.filter(({ names }) => names.length > mostNames);
for (const { door, names } of wide)
  console.error(`${door} has ${names.length} names, and a door has at most ${mostNames}.`);
const silent = withNames.flatMap(({ names }) => names.filter(({ sentence }) => sentence === ""));
for (const { name } of silent) console.error(`${name} leaves a door without a sentence of its own.`);

const text = pageOf(withNames);
const isNew = process.argv.includes("--check") ? readFileSync(page, "utf8") === text : true;
if (!process.argv.includes("--check")) writeFileSync(page, text);
if (!isNew) console.error(`${page} is not what the docstrings say. Run \`npm run doors\`.`);
console.log(withNames.map(({ door, names }) => `${door}: ${names.length}`).join(", "));
process.exitCode = wide.length + silent.length > 0 || !isNew ? 1 : 0;

/** @param {string} folder @returns the doors that the package's manifest exports, with the source of each. */
function doorsOf(folder) {
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  return Object.entries(manifest.exports).flatMap(([path, target]) => {
    const file = target["holdfast-source"];
    return file === undefined
      ? []
      : [{ door: manifest.name + path.slice(1), file: `${folder}/${file.slice(2)}` }];
  });
}

/** @param {string} file */
function namesOf(file) {
  const source = checker.getSymbolAtLocation(program.getSourceFile(file));
  return checker
    .getExportsOfModule(source)
    .map((symbol) => {
      const named = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const words = ts.displayPartsToString(named.getDocumentationComment(checker));
      return { name: symbol.name, kind: kindOf(named), sentence: firstSentence(words) };
    })
    .sort((one, other) => order(one) - order(other) || (one.name < other.name ? -1 : 1));
}

/** @param {ts.Symbol} symbol */
function kindOf(symbol) {
  if (symbol.flags & ts.SymbolFlags.Class) return "class";
  if (symbol.flags & ts.SymbolFlags.Function) return "function";
  return symbol.flags & ts.SymbolFlags.Variable ? "value" : "type";
}

function order({ kind }) {
  return ["class", "function", "value", "type"].indexOf(kind);
}

/** @param {string} words */
function firstSentence(words) {
  const line = words.replace(/\s+/g, " ").trim();
  const [sentence = line] = /^.*?(?<!e\.g|i\.e)[.?!:;](?= [A-Z`(]|$)/.exec(line) ?? [];
  return sentence
    .replace(/[:;]$/, ".")
    .replaceAll("|", "\\|")
    .replace(/<(?=\w)/g, "&lt;");
}

function pageOf(list) {
  const rows = list.map(({ door, names }) => {
    const table = names.map(({ name, kind, sentence }) => `| \`${name}\` | ${kind} | ${sentence} |`);
    return `## ${door}\n\n${names.length} names.\n\n| name | | what it is |\n| --- | --- | --- |\n${table.join("\n")}\n`;
  });
  return `# The doors and their names

What each package exports, by the path from which it is imported. An own loop needs the first table; the others are for
whoever builds on a part alone. \`npm run doors\` writes this page out of the docstrings.

${rows.join("\n")}`;
}
