import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import ts from "typescript";

/**
 * One way to flip one condition of a source file.
 * @typedef {{ readonly id: number, readonly file: string, readonly line: number, readonly how: "true" | "false" | "boundary",
 *   readonly text: string }} Flip
 */

/** @type {ReadonlyMap<ts.SyntaxKind, string>} */
const orders = new Map([
  [ts.SyntaxKind.LessThanToken, "<"],
  [ts.SyntaxKind.LessThanEqualsToken, "<="],
  [ts.SyntaxKind.GreaterThanToken, ">"],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">="],
]);
const joins = new Set([ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken]);
const equalities = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);

/**
 * Compiles each source of a folder with its conditions asked one by one: what `if`, `?:` and loops test, the members of `&&`
 * and `||` in them, each comparison and each `!`.
 *
 * @param {string} sources a folder of TypeScript files
 * @param {string} target where their JavaScript goes
 * @returns {readonly Flip[]} of all files
 */
export function instrument(sources, target) {
  /** @type {Flip[]} */
  const flips = [];
  for (const file of readdirSync(sources).filter((name) => name.endsWith(".ts"))) {
    const text = readFileSync(`${sources}/${file}`, "utf8");
    const { outputText } = ts.transpileModule(text, {
      fileName: file,
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
      },
      transformers: { before: [(context) => (source) => new Rewriter(context, source, flips).all()] },
    });
    const asked = new URL("asked.mjs", import.meta.url).href;
    writeFileSync(
      `${target}/${file.replace(/ts$/, "js")}`,
      `import * as asked from ${JSON.stringify(asked)};\n${outputText}`,
    );
  }
  return flips;
}

class Rewriter {
  /** @param {ts.TransformationContext} context @param {ts.SourceFile} source @param {Flip[]} flips */
  constructor(context, source, flips) {
    this.context = context;
    this.source = source;
    this.flips = flips;
  }

  all() {
    return ts.visitEachChild(this.source, (node) => this.visit(node), this.context);
  }

  /** @param {ts.Node} node @returns {ts.Node} */
  visit(node) {
    if (ts.isBinaryExpression(node)) return this.visitBinary(node);
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      return this.ask(node);
    const children = (/** @type {ts.Node} */ of, /** @type {ts.Node | undefined} */ condition) =>
      ts.visitEachChild(
        of,
        (child) =>
          child === condition ? this.condition(/** @type {ts.Expression} */ (child)) : this.visit(child),
        this.context,
      );
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return children(node, node.expression);
    if (ts.isConditionalExpression(node) || ts.isForStatement(node)) return children(node, node.condition);
    return children(node, undefined);
  }

  /** @param {ts.BinaryExpression} node @returns {ts.Expression} */
  visitBinary(node) {
    const { factory } = this.context;
    const { kind } = node.operatorToken;
    if (equalities.has(kind)) return this.ask(node);
    const sign = orders.get(kind);
    const visited = (/** @type {ts.Expression} */ side) => /** @type {ts.Expression} */ (this.visit(side));
    if (sign !== undefined) {
      const id = this.register(node, ["boundary", "true", "false"]);
      const sides = [visited(node.left), visited(node.right)];
      return this.call("order", [
        factory.createNumericLiteral(id),
        factory.createStringLiteral(sign),
        ...sides,
      ]);
    }
    const left = joins.has(kind) ? this.condition(node.left) : visited(node.left);
    return factory.updateBinaryExpression(node, left, node.operatorToken, visited(node.right));
  }

  /** An expression that is asked for its truth alone. @param {ts.Expression} node @returns {ts.Expression} */
  condition(node) {
    if (ts.isParenthesizedExpression(node))
      return this.context.factory.updateParenthesizedExpression(node, this.condition(node.expression));
    if (ts.isBinaryExpression(node) && joins.has(node.operatorToken.kind))
      return this.context.factory.updateBinaryExpression(
        node,
        this.condition(node.left),
        node.operatorToken,
        this.condition(node.right),
      );
    const isAsked =
      (ts.isBinaryExpression(node) &&
        (equalities.has(node.operatorToken.kind) || orders.has(node.operatorToken.kind))) ||
      ts.isPrefixUnaryExpression(node);
    return isAsked ? /** @type {ts.Expression} */ (this.visit(node)) : this.ask(node);
  }

  /** @param {ts.Expression} node */
  ask(node) {
    const id = this.register(node, ["true", "false"]);
    const inner = ts.visitEachChild(node, (child) => this.visit(child), this.context);
    return this.call("truth", [this.context.factory.createNumericLiteral(id), inner]);
  }

  /** @param {"order" | "truth"} name @param {readonly ts.Expression[]} args */
  call(name, args) {
    const { factory } = this.context;
    const target = factory.createPropertyAccessExpression(factory.createIdentifier("asked"), name);
    return factory.createCallExpression(target, undefined, args);
  }

  /** @param {ts.Node} node @param {readonly Flip["how"][]} ways @returns {number} the id of the first */
  register(node, ways) {
    const id = this.flips.length;
    const text = node.getText(this.source).replace(/\s+/g, " ");
    const { line } = this.source.getLineAndCharacterOfPosition(node.getStart(this.source));
    const file = this.source.fileName;
    for (const how of ways) this.flips.push({ id: this.flips.length, file, line: line + 1, how, text });
    return id;
  }
}
