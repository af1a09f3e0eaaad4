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
