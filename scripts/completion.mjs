import { optionsOf } from "../packages/cli/dist/command-spec.js";

/**
 * The completion of each shell, made from the table of the commands when the program is built: `holdfast completion`
 * prints what lies there.
 */

/**
 * @param specs the commands. @param everywhere the options that each of them takes.
 * @returns the script of each shell by its name.
 */
export function completionScripts(specs, everywhere) {
  const table = { commands: specs.map(commandWords), everywhere: globalWords(everywhere) };
  return { bash: bashScript(table), zsh: zshScript(table), fish: fishScript(table) };
}

const nameOf = ({ usage }) => usage.split(" ")[0];

function commandWords(spec) {
  const [name = "", argument = ""] = spec.usage.split(" ");
  const choices = spec.actions?.map(nameOf) ?? spec.argumentChoices ?? [];
  const files = argument !== "" && choices.length === 0;
  return { name, summary: spec.summary, options: optionsOf(spec).map(optionWords), choices, files };
}

function optionWords({ flags, help, value }) {
  const names = flags.split(/[ ,]+/).filter((word) => word.startsWith("-"));
  return {
    names,
    help,
    choices: Array.isArray(value) ? value : [],
    takesValue: flags.includes("<"),
    takesFolder: flags.includes("<dir>"),
  };
}

function globalWords(options) {
  return [...optionsOf({ options }), { flags: "-h, --help", help: "print help" }].map(optionWords);
}

/** The words after which a value is still to come, with what it can be; the same question in bash and zsh. */
function valueCases({ commands, everywhere }) {
  const options = new Map();
  for (const option of [...everywhere, ...commands.flatMap((command) => command.options)])
    if (option.takesValue) options.set(option.names.join("|"), option);
  return [...options]
    .map(([names, { choices, takesFolder }]) => {
      const body =
        choices.length > 0 ? `offers="${choices.join(" ")}"` : takesFolder ? "folders=1" : "files=1";
      return `    ${names}) ${body}; return ;;`;
    })
    .join("\n");
}

function optionCases({ commands, everywhere }) {
  return commands
    .map(({ name, options }) => `    ${name}) offers="${wordsOf([...options, ...everywhere])}" ;;`)
    .join("\n");
}

function argumentCases({ commands }) {
  const withChoices = commands.filter(({ choices }) => choices.length > 0);
  const none = commands.filter(({ choices, files }) => choices.length === 0 && !files);
  return [
    ...withChoices.map(({ name, choices }) => `    ${name}) offers="${choices.join(" ")}" ;;`),
    `    ${none.map(({ name }) => name).join("|")}) ;;`,
    "    *) files=1 ;;",
  ].join("\n");
}

function wordsOf(options) {
  return options.flatMap(({ names }) => names).join(" ");
}

/** Sets `offers`, `files` or `folders` from `command`, `before` and `current`. */
function question(table) {
  const { commands, everywhere } = table;
  return `_holdfast_words() {
  offers=""; files=""; folders=""
  case "$before" in
${valueCases(table)}
  esac
  if [ -z "$command" ]; then
    case "$current" in
    -*) offers="${wordsOf(everywhere)} --version" ;;
    *) offers="${commands.map(({ name }) => name).join(" ")}" ;;
    esac
    return
  fi
  case "$current" in
  -*)
    case "$command" in
${optionCases(table)}
    esac ;;
  *)
    case "$command" in
${argumentCases(table)}
    esac ;;
  esac
}

_holdfast_command() {
  command=""
  skip=""
  for word in "$@"; do
    if [ -n "$skip" ]; then skip=""; continue; fi
    case "$word" in
    ${everywhere
      .filter(({ takesValue }) => takesValue)
      .flatMap(({ names }) => names)
      .join("|")}) skip=1 ;;
    -*) ;;
    *) command="$word"; return ;;
    esac
  done
}
`;
}

function bashScript(table) {
  return `# bash completion of holdfast: source <(holdfast completion bash)
${question(table)}
_holdfast() {
  local offers files folders command skip word
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  _holdfast_command "\${COMP_WORDS[@]:1:COMP_CWORD-1}"
  _holdfast_words
  COMPREPLY=()
  if [ -n "$folders" ]; then
    mapfile -t COMPREPLY < <(compgen -d -- "$current")
  elif [ -n "$files" ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$offers" -- "$current")
  fi
}
complete -o filenames -F _holdfast holdfast
`;
}

function zshScript(table) {
  return `#compdef holdfast
# zsh completion of holdfast: source <(holdfast completion zsh), after compinit
${question(table)}
_holdfast() {
  local words_before=("\${(@)words[2,CURRENT-1]}") current="\${words[CURRENT]}" before="\${words[CURRENT-1]}"
  local offers="" files="" folders="" command="" skip="" word=""
  _holdfast_command "\${words_before[@]}"
  _holdfast_words
  if [ -n "$folders" ]; then
    _files -/
  elif [ -n "$files" ]; then
    _files
  else
    compadd -- \${=offers}
  fi
}
compdef _holdfast holdfast
`;
}

/** fish asks for each word on its own; descriptions come with it. */
function fishScript({ commands, everywhere }) {
  const names = commands.map(({ name }) => name).join(" ");
  const lines = [
    "# fish completion of holdfast: holdfast completion fish | source",
    "complete -c holdfast -f",
  ];
  const inNone = `-n "not __fish_seen_subcommand_from ${names}"`;
  for (const option of everywhere) lines.push(`complete -c holdfast ${fishOption(option)}`);
  for (const { name, summary, options, choices, files } of commands) {
    const inside = `-n "__fish_seen_subcommand_from ${name}"`;
    lines.push(`complete -c holdfast ${inNone} -a ${name} -d ${fishWord(summary)}`);
    if (files) lines.push(`complete -c holdfast ${inside} -F`);
    if (choices.length > 0) lines.push(`complete -c holdfast ${inside} -a "${choices.join(" ")}"`);
    for (const option of options) lines.push(`complete -c holdfast ${inside} ${fishOption(option)}`);
  }
  return `${lines.join("\n")}\n`;
}

function fishOption({ names, help, choices, takesValue, takesFolder }) {
  const forms = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const value =
    choices.length > 0
      ? [`-x -a "${choices.join(" ")}"`]
      : takesFolder
        ? ['-x -a "(__fish_complete_directories)"']
        : takesValue
          ? ["-r"]
          : [];
  return [...forms, ...value, `-d ${fishWord(help)}`].join(" ");
}

function fishWord(text) {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
