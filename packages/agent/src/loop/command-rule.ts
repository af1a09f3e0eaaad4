import type { ApprovalRule } from "../config/index.js";

/**
 * Whether a rule about commands is about this one. A rule that allows fits only a single plain command: whatever a shell
 * would read as more than words (another command, a substitution, a redirection) is outside of it, also in quotes where a
 * shell looks into them. A rule that denies or asks fits wherever its words begin a part of the command.
 *
 * @param words of the rule: the whole command, or, where they end in ` *`, its beginning.
 */
export function fitsCommand(words: string, command: string, decision: ApprovalRule["decision"]): boolean {
  if (decision === "allow") return isPlain(command) && begins(words, command);
  return command.split(/[;&|\n`(){}]|\$\(/u).some((part) => begins(words, part));
}

function begins(words: string, command: string): boolean {
  const given = command.trim().split(/\s+/u);
  const isOpen = words.endsWith(" *");
  const wanted = (isOpen ? words.slice(0, -" *".length) : words).trim().split(/\s+/u);
  if (given.length < wanted.length || (!isOpen && given.length > wanted.length)) return false;
  return wanted.every((word, at) => given[at] === word);
}

/** No sign that a shell reads as anything but a word, and no assignment before the command. */
function isPlain(command: string): boolean {
  if (/[;&|<>`$(){}\n\r\\!*?[\]~#]/u.test(command)) return false;
  return !/^\s*\w+=/u.test(command);
}
