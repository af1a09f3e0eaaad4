/** What a refusal may name: a tool by what it is for, or an argument by what it means. */
export type Role =
  | "read"
  | "write"
  | "edit"
  | "patch"
  | "append"
  | "prepend"
  | "insert"
  | "section"
  | "base"
  | "oldString"
  | "newString"
  | "replaceAll"
  | "expectedReplacements"
  | "afterLine"
  /** The arguments that read a window of lines. */
  | "window"
  /** The arguments that read a part of one line. */
  | "partOfLine"
  | "encoding"
  | "sectionHeader"
  | "newContent"
  | "create"
  /** What changes several files, and deletes or renames them. */
  | "changes"
  /** What gives one file another name. */
  | "move"
  /** The argument that names it. */
  | "moveTo"
  /** What deletes one file. */
  | "delete"
  | "inPlace"
  /** The argument that says that a pattern is plain text. */
  | "literal"
  /** The argument that says whether modes of files change. */
  | "modes"
  | "depth"
  | "limit"
  /** The argument by which a call goes on where the answer before it ended. */
  | "goOn"
  | "context"
  /** What takes a file in whatever state it is in. */
  | "anyState"
  /** Where the folders to work in are named. */
  | "root"
  /** What approves of writing to a protected path. */
  | "approval"
  | "script"
  /** What lists the recorded states of a file. */
  | "log";

/** How one door calls them. What is left out is not offered there. */
export type Vocabulary = Readonly<Partial<Record<Role, string>>>;

/**
 * A sentence before it is put into a door's words. In the template `{role}` stands for the door's word;
 * `{one,two:or}` for those of several that it has (`:and`, `:or`, or `:need`: "a and b need");
 * `[…]` is left out where the door has no word for a role in it, `[…|…]` offers another; `{?role}` asks for a
 * role and names nothing; `$name` is a fact, whose text is taken as it is.
 */
export interface Sentence {
  readonly template: string;
  readonly facts: Readonly<Record<string, string | number>>;
}

/** Puts a sentence into words. An argument that the door has no word for is described. */
export function say({ template, facts }: Sentence, vocabulary: Vocabulary): string {
  return template
    .replace(/\[([^\]]*)\]/g, (_, clause: string) => {
      return clause.split("|").find((one) => isSayable(one, vocabulary)) ?? "";
    })
    .replace(slot, (_, roles: string, joined: string | undefined) => wordsFor(roles, joined, vocabulary))
    .replace(/\$([a-z]+)/gi, (_, name: string) => String(facts[name] ?? ""));
}

const slot = /\{(\??[a-zA-Z,]+)(?::(and|or|need))?\}/g;

/** Whether the door has a word for each slot of a clause; of a list, for one of it. */
function isSayable(clause: string, vocabulary: Vocabulary): boolean {
  return [...clause.matchAll(slot)].every(([, roles = ""]) => offered(roles, vocabulary).length > 0);
}

function wordsFor(roles: string, joined: string | undefined, vocabulary: Vocabulary): string {
  if (roles.startsWith("?")) return "";
  const words = offered(roles, vocabulary);
  const [only = descriptions[roles] ?? ""] = words;
  const last = words.at(-1) ?? "";
  const list =
    words.length < 2 ? only : `${words.slice(0, -1).join(", ")} ${joined === "or" ? "or" : "and"} ${last}`;
  return joined === "need" ? `${list} ${words.length < 2 ? "needs" : "need"}` : list;
}

function offered(roles: string, vocabulary: Vocabulary): readonly string[] {
  const words: Readonly<Record<string, string | undefined>> = vocabulary;
  return roles
    .replace("?", "")
    .split(",")
    .flatMap((role) => words[role] ?? []);
}

const descriptions: Readonly<Record<string, string>> = {
  base: "the base",
  oldString: "the old text",
  newString: "the new text",
  afterLine: "the line",
  sectionHeader: "the heading",
  newContent: "the new content",
  moveTo: "the new name",
  window: "a window of lines",
  partOfLine: "a part of a line",
  read: "read",
  literal: "plain text",
  depth: "the depth",
  limit: "the limit",
  context: "the context",
};

/** The words of the library: its methods, and the names that their requests have for arguments. */
export const libraryWords: Vocabulary = {
  read: "read",
  write: "write",
  edit: "edit",
  patch: "patch",
  append: "append",
  prepend: "prepend",
  insert: "insertLines",
  section: "updateSection",
  base: "base",
  oldString: "oldString",
  newString: "newString",
  replaceAll: "replaceAll",
  expectedReplacements: "expectedReplacements",
  afterLine: "afterLine",
  window: "offset and limit",
  partOfLine: "offset and charOffset",
  encoding: "encoding",
  sectionHeader: "sectionHeader",
  newContent: "newContent",
  create: "create: true",
  changes: "applyChanges",
  move: "move",
  moveTo: "to",
  delete: "delete",
  inPlace: "inPlace: true",
  literal: "literal: true",
  modes: "modes",
  depth: "depth",
  limit: "limit",
  goOn: "after",
  context: "context",
  log: "log",
};

/** A message in the library's words. */
export interface Worded {
  readonly message: string;
  readonly sentence?: Sentence;
}

/** A message in a door's words; what stands around its sentence stays as it is. */
export function inWords({ message, sentence }: Worded, vocabulary: Vocabulary): string {
  if (sentence === undefined) return message;
  const own = say(sentence, libraryWords);
  const at = message.indexOf(own);
  if (at < 0) return message;
  return message.slice(0, at) + say(sentence, vocabulary) + message.slice(at + own.length);
}
