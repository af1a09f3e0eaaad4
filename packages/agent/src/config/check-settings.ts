import { compileGlob } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { nearestName } from "@holdfast/core/tools";
import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
} from "jsonc-parser";
import { jsonFault } from "./json-fault.js";
import { namesAt } from "./keys.js";
import { removedWords, takeOutRemovedKeys } from "./removed-keys.js";
import { type AgentSettings, settingsSchema } from "./schema.js";

/** What is wrong with settings, and where. */
export interface SettingsProblem {
  /** The file, or `environment NAME`, or `flags`. */
  readonly source: string;
  /** Counted from 1; of files only. */
  readonly line?: number;
  /** Counted from 1, in UTF-16 units; of files only. */
  readonly column?: number;
  /** The key in words separated by dots; empty where the whole is meant. */
  readonly key: string;
  readonly message: string;
}

/** Settings of one source as they were checked: none of them counts where there are problems. */
export interface CheckedSettings {
  readonly source: string;
  readonly settings: AgentSettings;
  readonly problems: readonly SettingsProblem[];
  /** Keys that are no settings any more: they do not count, all else does. */
  readonly warnings: readonly SettingsProblem[];
}

/** A source with problems. */
export function faulty(source: string, problems: readonly SettingsProblem[]): CheckedSettings {
  return { source, settings: {}, problems, warnings: [] };
}

/** Checks the text of a settings file: JSON with comments and trailing commas. An empty file says nothing. */
export async function checkText(source: string, text: string): Promise<CheckedSettings> {
  const plain = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const at = (offset: number, key: string, message: string): SettingsProblem => {
    const lines = plain.slice(0, offset).split("\n");
    return { source, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, key, message };
  };
  const deep = tooDeepAt(plain);
  if (deep !== undefined) return faulty(source, [at(deep, "", "it is nested too deeply")]);
  const errors: ParseError[] = [];
  const root = parseTree(plain, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0) {
    const problems = errors
      .slice(0, mostProblems)
      .map((one) => at(one.offset, "", `it is not JSON: ${jsonFault(one.error)}`));
    return faulty(source, problems);
  }
  if (root === undefined) return faulty(source, []);
  const repeated = repeatedKeys(root)
    .slice(0, mostProblems)
    .map((node) => at(node.offset, String(node.value), "it stands there twice"));
  if (repeated.length > 0) return faulty(source, repeated);
  const place: Placed = (path, key, message, isName) => {
    const node = findNodeAtLocation(root, [...path]) ?? findNodeAtLocation(root, path.slice(0, -1)) ?? root;
    const meant = isName && node.parent?.type === "property" ? node.parent : node;
    return at(meant.offset, key, message);
  };
  const checked = checkValue(source, getNodeValue(root), place);
  return checkGlobs(checked, place);
}

/** A glob that is none would fit nothing, without a word: a rule that denies would let through. */
async function checkGlobs(checked: CheckedSettings, place: Placed): Promise<CheckedSettings> {
  const { approval, tools, fetch } = checked.settings;
  const lists: readonly (readonly [path: readonly string[], globs: readonly string[] | undefined])[] = [
    [["tools", "memoryPaths"], tools?.memoryPaths],
    [["tools", "inPlace"], tools?.inPlace],
    [["fetch", "allowedHosts"], fetch?.allowedHosts],
  ];
  const globs = [
    ...(approval?.rules ?? []).flatMap(({ path }, at) =>
      path === undefined ? [] : [{ path: ["approval", "rules", at, "path"], glob: path }],
    ),
    ...lists.flatMap(([path, listed = []]) => listed.map((glob, at) => ({ path: [...path, at], glob }))),
  ];
  const problems: SettingsProblem[] = [];
  for (const { path, glob } of globs) {
    const compiled = await compileGlob(glob);
    if (isRefusal(compiled)) problems.push(place(path, path.join("."), compiled.message, false));
  }
  return problems.length === 0 ? checked : faulty(checked.source, problems);
}

type Placed = (
  path: readonly (string | number)[],
  key: string,
  message: string,
  isName: boolean,
) => SettingsProblem;

/** Checks settings that come from elsewhere than a file. Keys that are none any more are taken out of them. */
export function checkValue(
  source: string,
  value: unknown,
  place: Placed = (_path, key, message) => ({ source, key, message }),
): CheckedSettings {
  const warnings = takeOutRemovedKeys(value).map((key) =>
    place(key.split("."), key, removedWords(key), true),
  );
  const parsed = settingsSchema.safeParse(value);
  if (parsed.success) return { source, settings: parsed.data, problems: [], warnings };
  const problems = parsed.error.issues.slice(0, mostProblems).flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
    if (issue.code !== "unrecognized_keys") return [place(path, path.join("."), issue.message, false)];
    return issue.keys
      .slice(0, mostProblems)
      .map((key) => place([...path, key], [...path, key].join("."), unknownKey(path, key), true));
  });
  return faulty(source, problems);
}

/** Each is looked for in the text: of a file that is nothing but faults, the first are enough. */
const mostProblems = 50;

function unknownKey(path: readonly (string | number)[], key: string): string {
  const nearest = nearestName(key.slice(0, 100), namesAt(path));
  return nearest === undefined ? "there is no such key" : `there is no such key; did you mean ${nearest}?`;
}

function repeatedKeys(node: Node): readonly Node[] {
  const children = node.children ?? [];
  const seen = new Set<unknown>();
  const twice =
    node.type !== "object"
      ? []
      : children.flatMap((property) => {
          const [name] = property.children ?? [];
          if (name === undefined || !seen.has(name.value)) {
            seen.add(name?.value);
            return [];
          }
          return [name];
        });
  return [...twice, ...children.flatMap(repeatedKeys)];
}

/** The parser calls itself at each level: what would exhaust it is found before. */
function tooDeepAt(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token = scanner.scan(); token !== endOfFile; token = scanner.scan()) {
    if (opening.includes(token)) depth++;
    else if (closing.includes(token)) depth--;
    if (depth > mostLevels) return scanner.getTokenOffset();
  }
  return undefined;
}

/** Kinds of tokens, by the numbers of the library's `SyntaxKind`, which this compilation may not name. */
const opening: readonly number[] = [1, 3];
const closing: readonly number[] = [2, 4];
const endOfFile = 17;
const mostLevels = 50;
