import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** A sentence as it stands in the source. */
export interface WrittenSentence {
  /** Where it stands, for the message of a failed test. */
  readonly file: string;
  /** Each form that it can have; what is only known when it is said stands there as `¤`. */
  readonly forms: readonly string[];
  /** `template`: put into a door's words; `plain`: said as it is at every door. */
  readonly kind: "template" | "plain";
}

/** The sentences in the sources below a folder, given as a URL, in files whose text matches. */
export function sentencesBelow(folder: URL, matching = /^/): readonly WrittenSentence[] {
  const top = fileURLToPath(folder);
  const files = readdirSync(top, { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  return files.flatMap((file) => sentencesIn(join(top, file), matching).map((one) => ({ ...one, file })));
}

/** Only those that are put into a door's words: most files have none, and are not read by the compiler. */
export function templatesBelow(folder: URL): readonly WrittenSentence[] {
  const found = sentencesBelow(folder, /\brefuseIn\b|\btemplate\b/);
  return found.filter(({ kind }) => kind === "template");
}

/** By path: a compiler's tree of all sources takes seconds, and each folder is asked for several times. */
const sentencesOfFile = new Map<string, readonly Omit<WrittenSentence, "file">[]>();

function sentencesIn(path: string, matching: RegExp): readonly Omit<WrittenSentence, "file">[] {
  const known = sentencesOfFile.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, "utf8");
  if (!matching.test(text)) return [];
  const found = sentencesOf(text);
  sentencesOfFile.set(path, found);
  return found;
}

function sentencesOf(text: string): readonly Omit<WrittenSentence, "file">[] {
  const source = ts.createSourceFile("sentences.ts", text, ts.ScriptTarget.Latest, true);
  const constants = constantsOf(source);
  const templates = new Set<ts.Node>();
  const found: Omit<WrittenSentence, "file">[] = [];
  const add = (node: ts.Node, kind: WrittenSentence["kind"]) => {
    const { forms, nodes } = evaluate(node, constants);
    for (const one of nodes) templates.add(one);
    found.push({ kind, forms });
  };
  walk(source, (node) => {
    const template = templateOf(node);
    if (template !== undefined) add(template, "template");
  });
  walk(source, (node) => {
    if (isText(node) && !templates.has(node) && node.getText(source).includes(" ")) add(node, "plain");
  });
  return found.filter(({ forms, kind }) => kind === "template" || forms.some((form) => form.includes(" ")));
}

/** The template of `refuseIn(code, template)`, and of every `{ template, facts }`. */
function templateOf(node: ts.Node): ts.Node | undefined {
  if (ts.isCallExpression(node) && isNamed(node.expression, "refuseIn")) return node.arguments[1];
  if (ts.isPropertyAssignment(node) && isNamed(node.name, "template")) return node.initializer;
  return ts.isShorthandPropertyAssignment(node) && isNamed(node.name, "template") ? node.name : undefined;
}

function isNamed(node: ts.Node, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}

function isText(node: ts.Node): boolean {
  return (
    ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node)
  );
}

interface Evaluated {
  readonly forms: readonly string[];
  /** The literals that they are made of. */
  readonly nodes: readonly ts.Node[];
}

function evaluate(node: ts.Node, constants: Constants): Evaluated {
  const again = (inner: ts.Node) => evaluate(inner, constants);
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
    return { forms: [node.text], nodes: [node] };
  if (ts.isBinaryExpression(node)) return joined([again(node.left), again(node.right)]);
  if (ts.isConditionalExpression(node)) return either([again(node.whenTrue), again(node.whenFalse)]);
  if (ts.isParenthesizedExpression(node)) return again(node.expression);
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.flatMap(({ expression, literal }) => [
      again(expression),
      { forms: [literal.text], nodes: [] },
    ]);
    return joined([{ forms: [node.head.text], nodes: [node] }, ...spans]);
  }
  const meant = ts.isIdentifier(node) ? meaningOf(node, constants) : undefined;
  return meant === undefined ? { forms: ["¤"], nodes: [] } : again(meant);
}

function joined(parts: readonly Evaluated[]): Evaluated {
  const forms = parts.reduce<readonly string[]>(
    (heads, { forms: tails }) => heads.flatMap((head) => tails.map((tail) => head + tail)),
    [""],
  );
  return { forms, nodes: parts.flatMap(({ nodes }) => nodes) };
}

function either(parts: readonly Evaluated[]): Evaluated {
  return { forms: parts.flatMap(({ forms }) => forms), nodes: parts.flatMap(({ nodes }) => nodes) };
}

/** The texts that are written in a file under a name. */
type Constants = ReadonlyMap<string, readonly ts.VariableDeclaration[]>;

function constantsOf(source: ts.SourceFile): Constants {
  const constants = new Map<string, ts.VariableDeclaration[]>();
  walk(source, (node) => {
    if (!ts.isVariableDeclaration(node) || node.initializer === undefined) return;
    const name = node.name.getText(source);
    constants.set(name, [...(constants.get(name) ?? []), node]);
  });
  return constants;
}

/** What a name stands for where it is used, if that is a text. */
function meaningOf(use: ts.Identifier, constants: Constants): ts.Node | undefined {
  const inScope = (constants.get(use.text) ?? []).filter((declaration) => {
    const block = blockOf(declaration);
    return block.pos <= use.pos && use.end <= block.end;
  });
  const widthOf = (node: ts.Node) => blockOf(node).end - blockOf(node).pos;
  const declared = inScope.toSorted((one, other) => widthOf(one) - widthOf(other))[0]?.initializer;
  if (declared === undefined) return undefined;
  const isMade = isText(declared) || ts.isBinaryExpression(declared) || ts.isConditionalExpression(declared);
  return isMade ? declared : undefined;
}

function blockOf(node: ts.Node): ts.Node {
  return ts.isBlock(node) || ts.isSourceFile(node) ? node : blockOf(node.parent);
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}
