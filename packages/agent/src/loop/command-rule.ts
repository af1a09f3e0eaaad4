import type { ApprovalRule } from "../config/approval.js";

/**
 * Whether a rule about commands is about this one. A rule that allows fits only a single plain command: whatever a shell
 * would read as more than words (another command, a substitution, a redirection) is outside of it, also in quotes where a
 * shell looks into them. A rule that denies or asks fits wherever its words begin a part of the command, also behind
 * assignments, redirections and programs that run another one. That is no fence: a script does what it likes.
 *
 * @param words of the rule: the whole command, or, where they end in ` *`, its beginning.
 */
export function fitsCommand(words: string, command: string, decision: ApprovalRule["decision"]): boolean {
  if (decision === "allow") return isPlain(command) && begins(words, wordsOf(command));
  return command
    .replace(/\d*[<>]&[\d-]*/gu, " ")
    .split(/[;&|\n`(){}]|\$\(/u)
    .some((part) => startsIn(part).some((given) => begins(words, given)));
}

/**
 * The words of a rule that allows a command with other arguments too: its program and subcommand, as `npm test *`. Only what
 * `known` lists has any, so that no interpreter, runner or tool of files is among it.
 *
 * @returns undefined where only this very command can be allowed.
 */
export function prefixOf(command: string): string | undefined {
  const found = known.exec(wordsOf(command).join(" "))?.[0];
  return found !== undefined && fitsPrefix(`${found} *`, command) ? `${found} *` : undefined;
}

/**
 * Whether what a person allowed by `prefixOf` is about this command, too. An argument that names another program to run,
 * another configuration or a file to write is not what the person saw.
 */
export function fitsPrefix(prefix: string, command: string): boolean {
  const isOther = (word: string) => choosesOther.test(word.replace(/["']/gu, ""));
  return fitsCommand(prefix, command, "allow") && !wordsOf(command).some(isOther);
}

/** Whether a command is one of those that the person's settings let run outside of the sandbox: by the law of "always". */
export function isAllowedOutside(command: string, outside: readonly string[]): boolean {
  return outside.some((words) => fitsPrefix(`${words} *`, command));
}

const choosesOther =
  /^(-[oOc]|--?(exec|open-files|upload-pack|receive-pack|ext-diff|textconv|out|config|tool|vettool|script-shell|prefix|manifest-path|rulesdir|plugin|init-script|eval|global))/u;

/** Programs with a subcommand or a target of the project; tools that work on what they are given. */
const known = new RegExp(
  `^(?:${[
    "(?:npm|pnpm|yarn|bun) (?:test|t|ci|install|ls|outdated|audit|run [A-Za-z][\\w:.-]*)",
    "git (?:status|diff|log|show|blame|add|commit|fetch|branch)",
    "cargo (?:build|check|test|clippy|fmt|doc|bench)|go (?:build|test|vet|fmt)",
    "(?:(?:\\./)?gradlew?|(?:\\./)?mvnw?) (?:build|test|check|clean|compile|verify|package)",
    "dotnet (?:build|test|format|restore)|deno (?:test|check|lint|fmt)",
    "(?:make|just|task|rake|ninja) [A-Za-z][\\w:.-]*",
    "(?:npx |uv run |python3? -m )?(?:vitest|jest|mocha|tsc|eslint|biome|prettier|pytest|unittest|ruff|mypy|pyright|flake8)",
    "(?:rspec|phpunit|ctest|ls)",
  ].join("|")})(?= |$)`,
  "u",
);

/** What a shell takes apart, and nothing else: a blank of another alphabet is a letter to it. */
function wordsOf(command: string): readonly string[] {
  return command.split(/[ \t]+/u).filter((word) => word !== "");
}

function begins(words: string, given: readonly string[]): boolean {
  const isOpen = words.endsWith(" *");
  const wanted = wordsOf(isOpen ? words.slice(0, -" *".length) : words);
  if (given.length < wanted.length || (!isOpen && given.length > wanted.length)) return false;
  return wanted.every((word, at) => given[at] === word);
}

/** No sign that a shell reads as anything but a word, and no assignment before the command. */
function isPlain(command: string): boolean {
  if (/[;&|<>`$(){}\n\r\\!*?[\]~#]|[^\S \t]/u.test(command)) return false;
  return !/^\s*\w+=/u.test(command);
}

/** The words from each place on at which a part of a command may name a program. */
function startsIn(part: string): readonly (readonly string[])[] {
  const words = part.split(/\s+/u).filter((word) => word !== "");
  const starts: (readonly string[])[] = [];
  let isRun = false;
  for (const [at, written] of words.entries()) {
    // What a shell takes away of a word.
    const word = written.replace(/["'\\]/gu, "");
    const name = word.slice(word.lastIndexOf("/") + 1);
    const rest = words.slice(at + 1).map((one) => one.replace(/["'\\]/gu, ""));
    starts.push([word, ...rest], [name, ...rest]);
    const isNone = /^(\w+\+?=|\d*[<>])/u.test(word) || beforeCommands.has(word);
    isRun ||= runners.has(name);
    if (!isNone && !isRun && !/^\d*(<|>|>>)$/u.test(words[at - 1] ?? "")) break;
  }
  return starts;
}

const beforeCommands: ReadonlySet<string> = new Set(
  "! if then elif else do while until time coproc function".split(" "),
);

/** Programs that run the one which their arguments name. */
const runners: ReadonlySet<string> = new Set(
  (
    "sudo doas env command builtin exec eval nohup nice ionice setsid stdbuf timeout time xargs parallel watch find " +
    "busybox chroot unshare strace flock script ssh su runuser sh bash dash zsh ksh"
  ).split(" "),
);
