import ts from "typescript";

/**
 * JavaScript of a TypeScript module in which every function, branch and right side of `&&`, `||` and `??` says that it
 * was reached, by a number of its own.
 *
 * @param {string} source @param {string} file @param {() => number} nextEdge a number that no other place has
 * @returns {string}
 */
export function instrument(source, file, nextEdge) {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
  };
  const transformers = { before: [reporting(nextEdge)] };
  return ts.transpileModule(source, { fileName: file, compilerOptions, transformers }).outputText;
}

/** @param {() => number} nextEdge @returns {ts.TransformerFactory<ts.SourceFile>} */
function reporting(nextEdge) {
  return (context) => {
    const { factory } = context;
    const call = () =>
      factory.createCallExpression(factory.createIdentifier("__edge"), undefined, [
        factory.createNumericLiteral(nextEdge()),
      ]);
    /** @param {ts.Expression} value */
    const counted = (value) => factory.createParenthesizedExpression(factory.createComma(call(), value));
    /** @param {readonly ts.Statement[]} statements */
    const began = (statements) => [factory.createExpressionStatement(call()), ...statements];
    /** @param {ts.Statement} statement @returns {ts.Statement} */
    const branch = (statement) =>
      ts.isBlock(statement) ? statement : factory.createBlock(began([statement]), true);
    /** @param {ts.Node} node @returns {ts.Node} */
    const visit = (node) => {
      const seen = ts.visitEachChild(node, visit, context);
      if (ts.isBlock(seen)) return factory.updateBlock(seen, began(seen.statements));
      if (ts.isIfStatement(seen)) {
        const other = seen.elseStatement && branch(seen.elseStatement);
        return factory.updateIfStatement(seen, seen.expression, branch(seen.thenStatement), other);
      }
      if (ts.isCaseClause(seen))
        return factory.updateCaseClause(seen, seen.expression, began(seen.statements));
      if (ts.isArrowFunction(seen) && !ts.isBlock(seen.body)) {
        const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken: arrow } = seen;
        const body = counted(seen.body);
        return factory.updateArrowFunction(seen, modifiers, typeParameters, parameters, type, arrow, body);
      }
      if (ts.isConditionalExpression(seen)) {
        const { condition, questionToken, whenTrue, colonToken, whenFalse } = seen;
        const [then, otherwise] = [counted(whenTrue), counted(whenFalse)];
        return factory.updateConditionalExpression(
          seen,
          condition,
          questionToken,
          then,
          colonToken,
          otherwise,
        );
      }
      if (ts.isBinaryExpression(seen) && isChoice(seen.operatorToken.kind))
        return factory.updateBinaryExpression(seen, seen.left, seen.operatorToken, counted(seen.right));
      return seen;
    };
    return (file) => ts.visitEachChild(file, visit, context);
  };
}

/** @param {ts.SyntaxKind} kind */
function isChoice(kind) {
  return (
    kind === ts.SyntaxKind.AmpersandAmpersandToken ||
    kind === ts.SyntaxKind.BarBarToken ||
    kind === ts.SyntaxKind.QuestionQuestionToken
  );
}
