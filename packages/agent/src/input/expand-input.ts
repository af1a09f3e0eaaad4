import type { Visibility } from "@holdfast/core/context";
import { type FileContent, fileContentOf, type UserMessage } from "@holdfast/core/conversation/values";
import { isSecret, type Workspace } from "@holdfast/core/files";
import {
  inWords,
  isRefusal,
  type ListedEntry,
  type ReadOutcome,
  type Refusal,
  refuse,
} from "@holdfast/core/files/values";
import { homeFolder, readForeign } from "@holdfast/core/node";
import { type HostToolResult, mediaOfRead, type ReadMedia } from "@holdfast/core/tools";
import type { McpResource, McpServerState } from "../host/mcp-servers.js";

/** What mentions are looked up with. */
export interface ExpandOptions {
  readonly workspace: Workspace;
  readonly signal?: AbortSignal;
  /** Whether all lines of a state stand in the prompt already: then it is not put there again. */
  readonly isVisible?: Visibility["isVisible"];
  /** Told of an image or a PDF that was staged, so that its upload can begin. */
  readonly onMedia?: (file: StagedMedia) => Promise<void>;
  /** Resources of MCP servers, which `@server:uri` names. */
  readonly resources?: NamedResources;
  /** Fetches the page of an address, as words; why not, where its host is not allowed. */
  readonly fetch?: (url: string, signal?: AbortSignal) => Promise<HostToolResult | Refusal>;
  /**
   * A person typed the words, or dropped files on them: an image or a PDF whose whole path stands there is shown,
   * wherever it lies. Words of a script may be a stranger's.
   */
  readonly isTyped?: boolean;
  /** Files that all mentions together put before the model; 100 unless given. */
  readonly mostFiles?: number;
  /** Characters of all of them together; 400,000 unless given. */
  readonly mostChars?: number;
}

/** An image or a PDF before the model, and whose it is. */
export type StagedMedia = Pick<ReadMedia, "path" | "mimeType" | "sha256" | "data">;

/** The resources that can be named: the servers, and how one of theirs is read. */
export interface NamedResources {
  readonly servers: readonly string[];
  /** How each server stands now. */
  readonly states?: () => readonly Pick<McpServerState, "name" | "kind" | "tools">[];
  readonly read: (server: string, uri: string, signal?: AbortSignal) => Promise<McpResource | Refusal>;
}

/** What became of a mention. */
interface MentionReport {
  readonly written: string;
  readonly became: "shown" | "already_shown" | "left_out" | "nothing";
  /** One sentence for the person. */
  readonly message: string;
}

/** The user's words with what they name. */
export interface ExpandedInput {
  readonly kind: "expanded";
  /** What the model reads: the words as they were written, each `\@` as `@`. */
  readonly text: string;
  /** The states of the files, byte for byte, and images and PDFs, to be staged before the words. */
  readonly staged: readonly (FileContent | UserMessage)[];
  readonly mentions: readonly MentionReport[];
}

/** The signal came: nothing is staged. */
interface CancelledInput {
  readonly kind: "cancelled";
}

/**
 * Looks up what the words name with `@` (page 6): each file becomes its state, with version and hash, so that no read of the
 * model has to follow. A folder or a glob stands for its files, as far as ignore rules and the limits let them. A name
 * that is nowhere, but below the root in exactly one place, is that file; two places are told and none is taken.
 */
export async function expandInput(
  text: string,
  options: ExpandOptions,
): Promise<ExpandedInput | CancelledInput> {
  const expansion = new Expansion(options);
  const parts = parseMentions(text);
  for (const part of parts) {
    if (options.signal?.aborted === true) return { kind: "cancelled" };
    if (part.kind === "mention") await expansion.add(part);
    else if (options.isTyped === true)
      for (const dropped of droppedIn(part.text)) await expansion.drop(dropped);
  }
  if (options.signal?.aborted === true) return { kind: "cancelled" };
  const words = parts.map((part) => (part.kind === "words" ? part.text : part.written)).join("");
  return { kind: "expanded", text: words, staged: expansion.staged, mentions: expansion.reports };
}

/** What stands behind the `@`, lines and all: an address may end in digits. */
function writtenName({ written, path, range }: Mention): string {
  return range === undefined ? path : written.slice(1).replace(/^(["'])(.*)\1/su, "$2");
}

/** Of all media of one turn: what providers take in one request, less the room of Base64. */
const mostMediaBytes = 12 * 1024 * 1024;

function isFile({ isDirectory, special, openable }: ListedEntry): boolean {
  return !isDirectory && special === undefined && openable;
}

/** A person has none of the tools that a refusal advises a model to use. */
function toPerson(refusal: Pick<Refusal, "message" | "sentence">): string {
  return inWords(refusal, {});
}

class Expansion {
  readonly staged: (FileContent | UserMessage)[] = [];
  readonly reports: MentionReport[] = [];
  readonly #seen = new Set<string>();
  #chars = 0;
  #mediaBytes = 0;

  constructor(private readonly options: ExpandOptions) {}

  async add(mention: Mention): Promise<void> {
    const { written, path, range } = mention;
    const [, server = "", uri = ""] = /^([^:]+):(.+)$/su.exec(writtenName(mention)) ?? [];
    const { resources } = this.options;
    if (resources?.servers.includes(server) === true)
      return this.#addResource(written, await resources.read(server, uri, this.options.signal));
    if (/^https?:\/\//iu.test(path)) return this.#addPage(written, writtenName(mention));
    const bare = path.length > 1 ? path.replace(/\/+$/u, "") : path;
    const window = range === undefined ? {} : { offset: range.from, limit: range.to - range.from + 1 };
    const outcome = await this.options.workspace.read({ path: bare, ...window }, { isSilent: true });
    if (outcome.kind === "read") return this.#report(written, this.#show(outcome, bare));
    // A name may hold such signs itself: `[id].tsx`.
    if (/[*?[{]/u.test(path) && outcome.code !== "is_directory") return this.#addAll(mention, { glob: path });
    if (outcome.code === "is_directory") return this.#addAll(mention, { glob: "**", folder: bare });
    if (outcome.code === "file_missing" && !bare.includes("/"))
      return this.#addByName(mention, bare, toPerson(outcome));
    if (outcome.kind === "refusal" && (await this.#showMedia(written, outcome))) return;
    if (droppable.test(bare) && (await this.drop({ written, path: bare }))) return;
    this.#tell(written, "nothing", toPerson(outcome));
  }

  /** Shows an image or a PDF by its whole path. @returns whether there is one that may be. */
  async drop({ written, path }: Dropped): Promise<boolean> {
    if (this.options.isTyped !== true) return false;
    const whole = path.startsWith("~/") ? homeFolder() + path.slice(1) : path;
    const read = readForeign(whole, { links: "followed", limitBytes: mostMediaBytes });
    if (read.kind !== "read") return false;
    const readBytes = async () => ({ kind: "bytes", path: whole, bytes: read.bytes }) as const;
    return this.#showMedia(written, { ...refuse("binary", ""), path: whole }, { readBytes });
  }

  async #addPage(written: string, url: string): Promise<void> {
    const { fetch, signal } = this.options;
    const page = fetch === undefined ? undefined : await fetch(url, signal);
    if (page === undefined) return this.#tell(written, "nothing", "No page can be fetched here.");
    if ("kind" in page) {
      const more =
        page.code === "denied" ? " The setting fetch.allowedHosts names those that are allowed." : "";
      return this.#tell(written, "nothing", page.message + more);
    }
    if (page.code !== "ok") return this.#tell(written, "nothing", page.text);
    this.#addResource(written, { kind: "resource", parts: [{ kind: "text", uri: url, text: page.text }] });
  }

  /** What a server gave for an address, as words and media of the user. */
  #addResource(written: string, found: McpResource | Refusal): void {
    if (found.kind === "refusal") {
      this.#tell(written, "nothing", found.message);
      return;
    }
    const texts = found.parts.map((part) => (part.kind === "text" ? part.text : `(${part.media.mimeType})`));
    const text = `${written}:\n${texts.join("\n")}`;
    const media = found.parts.flatMap((part) => (part.kind === "media" ? [part.media] : []));
    const isTooMuch = this.#isFull() || this.#chars + text.length > (this.options.mostChars ?? 400_000);
    if (this.#seen.has(written)) this.#report(written, "already_shown");
    else if (isTooMuch) this.#tell(written, "left_out", "It is too much beside the others.");
    else {
      this.#seen.add(written);
      this.#chars += text.length;
      this.staged.push({ kind: "user_message", text, ...(media.length === 0 ? {} : { media }) });
      this.#report(written, "shown");
    }
  }

  /** An image or a PDF that was refused as a text. @returns whether it was one. */
  async #showMedia(
    written: string,
    outcome: Extract<ReadOutcome, { kind: "refusal" }>,
    workspace: Parameters<typeof mediaOfRead>[1] = this.options.workspace,
  ): Promise<boolean> {
    const media = await mediaOfRead({ kind: "read", outcome }, workspace, ["image", "pdf"]);
    if (media === undefined) return false;
    const { path, mimeType, data, sizeBytes, sha256 } = media;
    const text = `${path} (${mimeType}, ${sizeBytes} bytes, sha256 ${sha256}):`;
    const isTooMuch = this.#isFull() || this.#mediaBytes + sizeBytes > mostMediaBytes;
    if (this.#seen.has(sha256)) this.#report(written, "already_shown");
    else if (isTooMuch) this.#tell(written, "left_out", "It is too much beside the others.");
    else {
      this.#seen.add(sha256);
      this.#mediaBytes += sizeBytes;
      this.staged.push({ kind: "user_message", text, media: [{ mimeType, data }] });
      this.#report(written, "shown");
      await this.options.onMedia?.({ path, mimeType, sha256, data });
    }
    return true;
  }

  /** The files of a folder, or those that a glob means. */
  async #addAll(
    { written }: Mention,
    { glob, folder }: { readonly glob: string; readonly folder?: string },
  ): Promise<void> {
    const asked = {
      kind: "find",
      glob,
      sized: false,
      ...(folder === undefined ? {} : { path: folder }),
    } as const;
    const found = await this.options.workspace.run(asked);
    if (isRefusal(found)) return this.#tell(written, "nothing", toPerson(found));
    const files = found.files.filter(isFile);
    // Who names a folder does not mean what must not be shown; who names the file does.
    const open = files.filter(({ path }) => !isSecret(path));
    let shown = 0;
    for (const { path } of open) {
      if (this.options.signal?.aborted === true || this.#isFull()) break;
      const outcome = await this.options.workspace.read({ path }, { isSilent: true });
      if (outcome.kind === "read" && this.#show(outcome, path) !== "left_out") shown += 1;
    }
    const more = found.more === undefined ? "" : " or more";
    const secrets =
      files.length === open.length
        ? ""
        : ` ${files.length - open.length} may hold secrets: name what you mean.`;
    const count = `${shown} of ${files.length}${more} files are before the model.${secrets}`;
    const words = files.length === 0 ? "It names no file." : count;
    this.#tell(written, shown === 0 ? "nothing" : shown < files.length ? "left_out" : "shown", words);
  }

  async #addByName({ written }: Mention, name: string, why: string): Promise<void> {
    const found = await this.options.workspace.run({
      kind: "find",
      glob: `**/${name}`,
      sized: false,
      limit: 5,
    });
    const files = isRefusal(found) ? [] : found.files.filter(isFile);
    const [only, second] = files;
    if (only === undefined) return this.#tell(written, "nothing", why);
    if (second !== undefined) {
      const names = files.map(({ path }) => path).join(", ");
      return this.#tell(written, "nothing", `It could be ${names}: say which.`);
    }
    const outcome = await this.options.workspace.read({ path: only.path }, { isSilent: true });
    if (outcome.kind !== "read") return this.#tell(written, "nothing", toPerson(outcome));
    this.#tell(written, this.#show(outcome, only.path), `It is ${only.path}.`);
  }

  #show(found: Extract<ReadOutcome, { kind: "read" }>, path: string): MentionReport["became"] {
    const content = fileContentOf(found, { path });
    const { sha256, lines, text } = content;
    const key = `${found.state.path} ${sha256} ${lines.from}-${lines.to}`;
    if (this.#seen.has(key)) return "already_shown";
    if (this.#isFull() || this.#chars + text.length > (this.options.mostChars ?? 400_000)) return "left_out";
    this.#seen.add(key);
    const isThere =
      lines.total > 0 && this.options.isVisible?.({ path, sha256, from: lines.from, to: lines.to }) === true;
    if (isThere) return "already_shown";
    this.#chars += text.length;
    this.staged.push(content);
    return "shown";
  }

  #isFull(): boolean {
    return this.staged.length >= (this.options.mostFiles ?? 100);
  }

  #report(written: string, became: MentionReport["became"]): void {
    const words = {
      shown: "It is before the model.",
      already_shown: "It is before the model already, in this state.",
      left_out: "It is too much beside the others: the model has to read it.",
      nothing: "",
    };
    this.#tell(written, became, words[became]);
  }

  #tell(written: string, became: MentionReport["became"], message: string): void {
    this.reports.push({ written, became, message });
  }
}

/** A file that a terminal wrote into the words, as it does where one is dropped on it. */
interface Dropped {
  readonly written: string;
  readonly path: string;
}

/** A whole path to an image or a PDF. */
const droppable = /^(?:~?\/|file:\/\/).*\.(?:png|jpe?g|gif|webp|pdf)$/isu;

/** The files whose whole paths stand in the words, in quotes or with backslashes as terminals write them. Pure. */
function droppedIn(text: string): readonly Dropped[] {
  const words = text.matchAll(
    /(?<=^|\s)(?:'([^'\n]+)'|"([^"\n]+)"|((?:~?\/|file:\/\/)(?:[^\s\\]|\\.)+))(?=$|\s)/gu,
  );
  return [...words].flatMap(([written, single, double, bare = ""]) => {
    const path = single ?? double ?? bare.replace(/\\(.)/gu, "$1");
    if (!droppable.test(path)) return [];
    return [{ written, path: path.startsWith("file://") ? decodeURI(path.slice("file://".length)) : path }];
  });
}

/** A file or a folder that the user's words name with `@`. */
export interface Mention {
  readonly kind: "mention";
  /** As it stands in the words, with its `@`. */
  readonly written: string;
  readonly path: string;
  /** Lines from 1, both included; `to` is missing where one line is named. */
  readonly range?: { readonly from: number; readonly to: number };
}

/** Words between mentions; a `\@` stands there as `@`. */
interface PlainWords {
  readonly kind: "words";
  readonly text: string;
}

/**
 * Cuts the user's words at what `@` names: `@path`, `@"a path"`, `@'a path'`, `\ ` for a blank, `@f:20-50` and `@f:20`
 * for lines, `\@` for the sign itself. An `@` inside a word is none (an address of mail), nor is a sign of punctuation
 * behind a path part of it. Pure.
 */
export function parseMentions(text: string): readonly (Mention | PlainWords)[] {
  const parts: (Mention | PlainWords)[] = [];
  const addWords = (words: string) => {
    if (words !== "") parts.push({ kind: "words", text: words.replaceAll("\\@", "@") });
  };
  let done = 0;
  for (const { at, mention } of signsIn(text)) {
    if (mention === undefined) continue;
    addWords(text.slice(done, at));
    parts.push(mention);
    done = at + mention.written.length;
  }
  addWords(text.slice(done));
  return parts;
}

/** Each `@` that may begin a mention, and the mention where it does. */
function* signsIn(text: string): Generator<{ readonly at: number; readonly mention: Mention | undefined }> {
  for (let at = 0; at < text.length; ) {
    const isSign = text[at] === "@" && beginsWord(text[at - 1]);
    const mention = isSign ? mentionAt(text, at) : undefined;
    if (isSign) yield { at, mention };
    at += mention?.written.length ?? (text.startsWith("\\@", at) ? 2 : 1);
  }
}

/** A mention that the end of a text is still being typed of. */
interface BegunMention {
  /** Where its `@` stands, UTF-16 units. */
  readonly from: number;
  /** What was typed of the path, without quote and backslashes. */
  readonly path: string;
  /** The quote that it began with, which is open. */
  readonly quote?: '"' | "'";
}

/** The mention that the end of the text is a part of, or may become one; undefined where the end is plain words. Pure. */
export function begunMention(text: string): BegunMention | undefined {
  for (const { at } of signsIn(text)) {
    const begun = openAt(text, at);
    if (begun !== undefined) return begun;
  }
  return undefined;
}

/** The mention at `at`, where it goes on to the end of the text. */
function openAt(text: string, at: number): BegunMention | undefined {
  const rest = text.slice(at + 1);
  const [quote] = rest;
  if (quote === '"' || quote === "'") {
    const path = rest.slice(1);
    return path.includes(quote) || path.includes("\n") ? undefined : { from: at, path, quote };
  }
  // As `mentionAt` goes on: no blank, quote, bracket or bar, unless behind a backslash.
  if (!/^(?:[^\s"'`<>|\\]|\\[^\n])*\\?$/u.test(rest)) return undefined;
  return { from: at, path: rest.replace(/\\(.?)/gu, "$1") };
}

/**
 * A name behind `@` in the way that a mention was begun, so that it is read as the same name.
 *
 * @param isOpen whether more is to follow, such as the names in a folder: then a quote stays open.
 */
export function mentionLike(path: string, { quote }: Pick<BegunMention, "quote">, isOpen: boolean): string {
  if (quote !== undefined && !path.includes(quote)) return `@${quote}${path}${isOpen ? "" : quote}`;
  // Digits behind a colon would be lines.
  if (/:\d/.test(path) && !path.includes('"')) return isOpen ? `@"${path}` : `@"${path}"`;
  return `@${path.replace(/[^\p{L}\p{N}_./-]|[.](?=\.*$)/gu, "\\$&")}`;
}

/** A name as it can be written behind `@`, so that it is read as the same name. */
export function writtenMention(path: string): string {
  const needsNone = /^[\p{L}\p{N}_./-]+$/u.test(path) && !/[.]$/.test(path);
  if (needsNone) return `@${path}`;
  if (!path.includes('"')) return `@"${path}"`;
  return path.includes("'") ? `@${path.replace(/[^\p{L}\p{N}_/-]/gu, "\\$&")}` : `@'${path}'`;
}

function beginsWord(before: string | undefined): boolean {
  return before === undefined || /[\s([{"'`,;:<]/u.test(before);
}

function mentionAt(text: string, at: number): Mention | undefined {
  const quote = text[at + 1];
  if (quote === '"' || quote === "'") return quotedAt(text, at, quote);
  let path = "";
  let end = at + 1;
  /** Where the path would end without the punctuation behind it. */
  let kept = { path, end };
  while (end < text.length) {
    const sign = text[end] ?? "";
    if (/[\s"'`<>|]/u.test(sign)) break;
    if (sign === "\\" && end + 1 < text.length && text[end + 1] !== "\n") {
      path += text[end + 1] ?? "";
      end += 2;
      kept = { path, end };
      continue;
    }
    path += sign;
    end += 1;
    if (!/[.,;:!?)\]}]/u.test(sign)) kept = { path, end };
  }
  // The folder itself, and the one above.
  if (kept.path === "" && /^\.{1,2}$/u.test(path)) kept = { path, end };
  // `@@` is no name of a file: a line of a diff begins so.
  if (kept.path === "" || /^@+$/u.test(kept.path)) return undefined;
  const [, name = kept.path, from, to] = /^(.+?):([1-9]\d{0,8})(?:-(\d{1,9}))?$/su.exec(kept.path) ?? [];
  return made(text.slice(at, kept.end), name, from, to);
}

function quotedAt(text: string, at: number, quote: string): Mention | undefined {
  const close = text.indexOf(quote, at + 2);
  if (close < 0 || close === at + 2 || text.slice(at, close).includes("\n")) return undefined;
  const [range = "", from, to] = /^:(\d{1,9})(?:-(\d{1,9}))?/u.exec(text.slice(close + 1)) ?? [];
  return made(text.slice(at, close + 1 + range.length), text.slice(at + 2, close), from, to);
}

function made(written: string, path: string, from: string | undefined, to: string | undefined): Mention {
  const first = Number(from ?? 0);
  if (first < 1) return { kind: "mention", written, path };
  return { kind: "mention", written, path, range: { from: first, to: Math.max(first, Number(to ?? first)) } };
}
