import { type CommandPart, isVariable, literally, parseScript, unknown } from "./parse.js";

/** Whether a command runs what a rule names; `maybe`: that is known only once it runs. */
export type Fit = "yes" | "maybe" | "no";

/**
 * Whether a rule that denies or asks is about a command: its words are the beginning of something that the command runs,
 * wherever that stands, however it is written, and whatever options stand between the words. It is no fence: what a script
 * or a program of the project does is not looked into. @param rule the words, which may end in ` *`.
 */
export function fitOf(rule: string, command: string): Fit {
  const wanted = wordsOfRule(rule);
  if (runs({ wanted, isWide: false }, command)) return "yes";
  return runs({ wanted, isWide: true }, command) ? "maybe" : "no";
}

/** Why a rule cannot be meant: it would be about nothing, without a word. Undefined where it can. */
export function faultOfRule(rule: string): string | undefined {
  const bare = rule.replace(openEnd, "").trim();
  if (bare.includes("*"))
    return "* stands for further words, behind a blank at the end, as in `git push *`; a rule that denies or asks is a beginning without it, too";
  const { parts, isPlain } = parseScript(bare);
  const isOne = parts.length === 1 && parts[0]?.variables.length === 0 && parts[0].redirects.length === 0;
  if (bare === "" ? openEnd.test(rule) : isPlain && isOne) return undefined;
  return "it must be words of one command, without ;, &, |, $, redirections or variables before it";
}

/** The words of a rule, without the `*` at its end. */
export function wordsOfRule(rule: string): readonly string[] {
  return parseScript(rule.replace(openEnd, "")).parts[0]?.words ?? [];
}

/** Of a rule about further words as well. */
export const openEnd = /(^|[ \t])\*[ \t]*$/u;

/** What is looked for. In the wide sense whatever is not known may be it. */
interface Search {
  readonly wanted: readonly string[];
  readonly isWide: boolean;
}

function runs(search: Search, script: string, depth = 0): boolean {
  if (depth > mostDepth) return search.isWide;
  const { parts, isUnderstood } = parseScript(script);
  return (search.isWide && !isUnderstood) || parts.some((part) => partRuns(search, part, depth));
}

/** Whether a part names what is wanted, or hands it to a program that runs it. */
function partRuns(search: Search, { words, variables, inputs }: CommandPart, depth: number): boolean {
  const { wanted, isWide } = search;
  const first = words.findIndex((word) => !beforeCommands.has(word) && !isVariable.test(word));
  const given = first < 0 ? [] : words.slice(first);
  const [name, args] = [nameOf(given[0] ?? ""), given.slice(1)];
  // What is added from the input is not known.
  const all = /^(xargs|parallel)$/u.test(name) ? [...given, unknown] : given;
  if (given.length > 0 && (wanted.length === 0 || isWanted(search, all, 0))) return true;
  if (runners.has(name) && !(name === "command" && /^-v/iu.test(args[0] ?? ""))) {
    const joined = name === "eval" ? [args.join(" ")] : [];
    const scripts = [...inputs, ...args.filter((word) => isScript.test(word)), ...joined];
    if (scripts.some((script) => runs(search, script, depth + 1))) return true;
    const isStart = name === "find" ? isRunByFind : isOperand;
    const starts = given
      .slice(1, mostStarts)
      .some((_, at) => isStart(given, at + 1) && isWanted(search, all, at + 1));
    if (starts || (isWide && given.length > mostStarts)) return true;
  }
  if (!isWide) return false;
  if (mentions(wanted, variables.join("\n"))) return true;
  // A script, or the name of a program, from the input.
  const isFilledIn = name === "xargs" && args.some((arg) => /^-(I|i|-replace)/u.test(arg));
  const shell = given.findIndex((word) => shells.has(nameOf(word)));
  const isFed =
    shell >= 0 &&
    (shell === 0 || runners.has(name)) &&
    given.slice(shell + 1).every((word) => /^-/u.test(word));
  if (isFilledIn || isFed) return true;
  const isData = [name, `${name} ${args.find((arg) => !arg.startsWith("-"))}`].some((one) =>
    dataPrograms.has(one),
  );
  return !isData && mentions(wanted, [...args, ...inputs].join("\n"));
}

const isRunByFind = (words: readonly string[], at: number) => /^-(exec|ok)(dir)?$/u.test(words[at - 1] ?? "");
const isOperand = (words: readonly string[], at: number) => !/^[-\d]/u.test(words[at] ?? "");

/** Whether a program is named at a place, with the words of the rule behind it. */
function isWanted(
  { wanted: [program = "", ...rest], isWide }: Search,
  words: readonly string[],
  at: number,
): boolean {
  const [first, name] = [nameOf(program), nameOf(words[at] ?? "")];
  if (isWide && mayBe(name, first)) return true;
  if (name === first) return argsFit(words.slice(at + 1), rest, isWide);
  // Such as `git-push`, which is `git push`.
  const isJoined = name.startsWith(`${first}-`);
  return isJoined && argsFit([name.slice(first.length + 1), ...words.slice(at + 1)], rest, isWide);
}

/** Whether arguments begin with these words. Options may stand between them; those of the rule stand anywhere. */
function argsFit(args: readonly string[], wanted: readonly string[], isWide: boolean): boolean {
  let places = new Set([0]);
  for (const word of wanted) {
    if (word.startsWith("-")) {
      if (!hasOption(args, word, isWide)) return false;
      continue;
    }
    const next = new Set<number>();
    // What is added meanwhile is visited, too.
    for (const at of places) {
      const arg = args[at];
      if (arg === undefined) continue;
      if (isWide && mayBe(arg, word)) return true;
      // Some programs take the beginning of a word for the word.
      if (arg === word || (isWide && arg !== "" && word.startsWith(arg))) next.add(at + 1);
      if (!/^(?:[-+]|:::)|^\w+=/u.test(arg)) continue;
      places.add(at + 1);
      if (isWide || withValue.has(arg)) places.add(at + 2);
    }
    places = next;
  }
  return places.size > 0;
}

/** Also as its beginning, with a value, or letter by letter: `-rf` as `-r -f`. */
function hasOption(args: readonly string[], option: string, isWide: boolean): boolean {
  const isThere = args.some((arg) => {
    const [name = ""] = arg.split("=");
    return (
      name === option || (isWide && (mayBe(arg, option) || (name.length > 2 && option.startsWith(name))))
    );
  });
  const has = (letter: string) => args.some((arg) => /^-\w/u.test(arg) && arg.includes(letter));
  return isThere || (isWide && /^-\w+$/u.test(option) && Array.from(option.slice(1)).every(has));
}

/** Whether what is not known of a word can make it this one. */
function mayBe(word: string, wanted: string): boolean {
  return word.includes(unknown) && wanted.startsWith(word.slice(0, word.indexOf(unknown)));
}

/** Whether the words stand in a text one after another, as in a program of another language. */
function mentions(wanted: readonly string[], text: string): boolean {
  return new RegExp(`(?<![\\w.-])${wanted.map(literally).join("\\W+")}(?![\\w-])`, "u").test(text);
}

/** The name of a program, whatever its folder. */
function nameOf(word: string): string {
  return word
    .slice(word.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/\.exe$/u, "");
}

const isScript = /[\s;&|$`(<"'\\]/u;
const [mostDepth, mostStarts] = [6, 64];
const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/ +/u));
const beforeCommands = setOf("! if then elif else do while until coproc function { }");
const shells = setOf("sh bash dash zsh ksh ash fish eval source .");
/** Programs that run the one which their arguments name. */
const runners = setOf(
  `${[...shells].join(" ")} sudo doas env command builtin exec nohup nice ionice setsid stdbuf timeout time xargs parallel watch find \
   busybox toybox chroot unshare nsenter strace ltrace flock script ssh su runuser trap npx bunx uvx entr systemd-run taskset`,
);
/** Their arguments are never run; of git, those of an action. */
const dataPrograms = new Set([
  ...setOf(
    "echo printf cat head tail grep rg ls wc sort cut tr diff cmp test [ [[ cd mkdir touch rm ln cp mv chmod which type man for in",
  ),
  ...["commit", "log", "grep", "show", "add", "diff", "tag", "status", "checkout"].map((one) => `git ${one}`),
]);
/** Options before the action of a program, as in `git -C dir push`, whose value is the next word. */
const withValue = setOf(
  `-C -c -H -n -R -w --git-dir --work-tree --namespace --exec-path --config-env --prefix --host --context --cluster --kubeconfig \
   --config --directory --file -f --workspace --filter --profile --region --project --chdir --cwd`,
);
