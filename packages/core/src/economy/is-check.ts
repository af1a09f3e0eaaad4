/**
 * Whether a command says something of the state of files: a test, a build, a linter. Looking at files, or moving about, does
 * not. A script with a name of its own is known by the words in it.
 */
export function isCheck(command: string): boolean {
  return command.split(/&&|\|\||[;|\n]/u).some((part) => {
    const words = part.trim().replace(/^(?:\w+=\S*\s+)+/u, "");
    const [first = ""] = words.split(/\s+/u);
    return !looks.has(first) && checks.test(words);
  });
}

/** They show something, or change what is not of the code; whatever stands behind them is the name of a file. */
const looks = new Set(
  "cat less head tail sed awk ls tree find fd grep rg ag wc file stat diff echo printf cd pwd mkdir touch cp mv rm git gh which env".split(
    " ",
  ),
);

const checks =
  /(?:^|[^a-z])(?:tests?|check|checks|verify|spec|lint|build|compile|typecheck|types|ci|tsc|vitest|jest|mocha|pytest|tox|ctest|rspec|phpunit|eslint|biome|prettier|ruff|mypy|pyright|clippy|vet|make|ninja|gradle|gradlew|mvn|javac|gcc|rustc)(?:$|[^a-z])/iu;
