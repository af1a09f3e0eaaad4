import { clip, defined, escapeForDisplay } from "@holdfast/core/text";
import { filesBelow, type ReadText } from "../host/found-text.js";
import { writtenMention } from "./expand-input.js";

/** A prompt that somebody has written down: a command of their own, a skill, or a sub-agent. */
export interface WrittenPrompt {
  readonly kind: "command" | "skill" | "agent";
  /** What follows the slash: `name`, or `folder:name`. */
  readonly name: string;
  /** What it is for, in one line; empty where the file does not say. */
  readonly says: string;
  /** What may follow the name. */
  readonly usage: string;
  readonly body: string;
  /** Of an agent: the only tools that it has, as its file names them. */
  readonly tools?: readonly string[];
  /** Of an agent: as its file names it. */
  readonly model?: string;
  /** Its file, absolute. */
  readonly path: string;
}

/** A folder of such files. */
interface PromptSource {
  readonly kind: WrittenPrompt["kind"];
  /** Absolute. */
  readonly folder: string;
  readonly read: ReadText;
}

/** A folder, absolute, and what is kept in it. */
export type PromptPlace = readonly [kind: PromptSource["kind"], folder: string];

/** Where a project, or a person, keeps commands, skills and agents: ours, and those of other programs. */
export function promptPlaces(folder: string): readonly PromptPlace[] {
  const ours = ["command", "skill", "agent"] as const;
  const both = [".holdfast", ".claude"].flatMap((name) =>
    ours.map((kind): PromptPlace => [kind, `${folder}/${name}/${kind}s`]),
  );
  return [...both, ["command", `${folder}/.gemini/commands`]];
}

/**
 * Reads commands (`*.md`, `*.toml`), skills (`NAME/SKILL.md`) and agents (`*.md`). Of one name the first source counts.
 *
 * @param isTaken whether a command of ours has this name, which wins.
 * @returns `problems`: a sentence on each file that is none.
 */
export async function readPrompts(sources: readonly PromptSource[], isTaken: (name: string) => boolean) {
  const prompts = new Map<string, WrittenPrompt>();
  const problems: string[] = [];
  for (const source of sources) {
    const found = filesBelow(source.folder, source.kind === "skill" ? /^[^/]+\/SKILL\.md$/ : /\.(md|toml)$/);
    for (const { path, why } of found.problems)
      problems.push(`The folder ${escapeForDisplay(path)} is left out: ${why}.`);
    for (const [at, path] of found.files.entries()) {
      const prompt = at < mostFiles ? await promptIn(path, source) : `only ${mostFiles} of a folder are read`;
      const isAgent = source.kind === "agent";
      // An agent is no command, and may have the name of one.
      const key = (name: string) => (isAgent ? `agent ${name}` : name);
      const isHidden = typeof prompt === "object" && !isAgent && isTaken(prompt.name);
      const why = isHidden ? "Holdfast has a command of that name" : prompt;
      if (typeof why === "string")
        problems.push(`The ${source.kind} ${escapeForDisplay(path)} is left out: ${why}.`);
      else if (!prompts.has(key(why.name))) prompts.set(key(why.name), why);
    }
  }
  for (const prompt of ourPrompts) if (!prompts.has(prompt.name)) prompts.set(prompt.name, prompt);
  return { prompts: [...prompts.values()], problems: problems.slice(0, mostProblems) };
}

/** The prompts that come with the agent. */
const ourPrompts: readonly WrittenPrompt[] = [
  {
    ...{ kind: "command", name: "init", usage: "", path: "" },
    says: "Writes an AGENTS.md: how this project is built, tested and written.",
    body:
      "Look at this project: its README, its configuration, its layout, a few files of its code. Then write AGENTS.md in its root, " +
      "for an agent that arrives without any knowledge of it: how to build it, how to run all tests and a single one, how its code is " +
      "laid out where that takes several files to see, and which habits its code keeps. Write only what you found, at most 60 lines, and " +
      "nothing that holds for every project. If there is an AGENTS.md, mend what is wrong or missing in it and keep the rest.",
  },
  {
    ...{ kind: "command", name: "review", usage: "[WHAT]", path: "" },
    says: "Reviews what is changed here, or what you name.",
    body:
      "Review this change: $ARGUMENTS\nIf nothing is named, it is what git says is not committed; if that is nothing, the last commit. Read " +
      "the changed files around the change, too. Look for what is wrong: bugs, lost data, what breaks for callers, missing tests. " +
      "Give each finding with file and line, why it is wrong and how to see it, the worst first. Say nothing of taste. Change no file.",
  },
];

const mostFiles = 200;
const mostProblems = 20;

/** @returns why the file is no prompt. */
async function promptIn(path: string, { kind, folder, read }: PromptSource): Promise<WrittenPrompt | string> {
  const found = await read(path);
  if (typeof found !== "object") return found ?? "it is not there any more";
  if (found.isCut) return "it is too long";
  const fields = path.endsWith(".toml") ? await tomlFields(found.text) : markdownFields(found.text);
  if (typeof fields === "string") return fields;
  const steps = path.slice(folder.length + 1, path.lastIndexOf(".")).split("/");
  const ofPath = steps.join(":");
  const name = kind === "command" ? ofPath : (fields.name ?? steps[0] ?? "");
  const body = fields.prompt.trim();
  const [says, usage] = [oneLine(fields.description), oneLine(fields["argument-hint"])];
  if (!/^[A-Za-z][\w.-]*(:[\w.-]+)*$/.test(name))
    return "its name is not of letters, digits, dots and dashes";
  if (body === "") return "it has no words for the model";
  if (kind !== "command" && says === "")
    return "it does not begin with a description between two lines of ---";
  const named = fields.tools?.split(/[\s,]+/).filter((tool) => tool !== "");
  const tools = named?.includes("*") ? undefined : named;
  return {
    kind,
    name,
    says,
    usage,
    body,
    path,
    ...(kind === "agent" ? defined({ tools, model: fields.model }) : {}),
  };
}

function oneLine(text = ""): string {
  return clip(escapeForDisplay(text.replace(/\s+/g, " ").trim()), 300);
}

type Fields = { readonly prompt: string } & Readonly<Record<string, string | undefined>>;

/**
 * What stands between two lines of `---` at the beginning, a field a line; lines that are set in go on with it. This is no
 * YAML: `argument-hint: [from] [to]` is none, and is what people write.
 */
function markdownFields(text: string): Fields {
  const whole = /^\ufeff?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;
  const [all = "", head = ""] = whole.exec(text) ?? [];
  const fields = head.matchAll(/^([A-Za-z][\w-]*):[ \t]*(?:[|>][+-]?[ \t]*\r?(?=\n))?(.*(?:\n[ \t]+.*)*)/gm);
  const unquoted = (value: string) => value.trim().replace(/^(["'])(.*)\1$/s, "$2");
  const values = [...fields].map(([, name = "", value = ""]) => [name, unquoted(value)] as const);
  return { ...Object.fromEntries(values), prompt: text.slice(all.length) };
}

async function tomlFields(text: string): Promise<Fields | string> {
  try {
    const { prompt, description } = (await import("smol-toml")).parse(text);
    const [words = "", says] = [prompt, description].map((value) =>
      value === undefined ? "" : String(value),
    );
    return { prompt: words, description: says };
  } catch (error) {
    return `it is no TOML: ${oneLine(String(error))}`;
  }
}

/**
 * The words for the model, and a sentence for the person where there is something to say. `$ARGUMENTS` and `{{args}}` are
 * all that was typed, `$1` to `$9` its words; where none of them stands there, what was typed comes last. Nothing is run.
 */
export function filledPrompt(prompt: WrittenPrompt, args: string, words: readonly string[]) {
  const { kind, name, body, path } = prompt;
  const filled = body.replace(/\$ARGUMENTS\b|\{\{args\}\}|\$([1-9])(?!\d)/g, (_, at?: string) =>
    at === undefined ? args : (words[Number(at) - 1] ?? ""),
  );
  const rest = filled === body && args !== "" ? `\n\n${args}` : "";
  const named = filled.replace(/@\{([^{}\n]+)\}/g, (_, file: string) => writtenMention(file.trim()));
  const text = `${kind === "skill" ? `Follow the skill ${name}, from ${path}:\n\n` : ""}${named}${rest}`;
  if (!/!`[^`\n]+`|!\{[^{}\n]+\}/.test(body)) return { text };
  const message = `/${name} holds commands of the shell (!\`…\`). They are not run; the model reads them as text.`;
  return { text, message };
}
