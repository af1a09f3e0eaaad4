import type { Visibility } from "@holdfast/core/context";
import { type FileContent, fileContentOf, type UserMessage } from "@holdfast/core/conversation/values";
import { isSecret, type Workspace } from "@holdfast/core/files";
import {
  inWords,
  isRefusal,
  type ListedEntry,
  type ReadOutcome,
  type Refusal,
} from "@holdfast/core/files/values";
import { type HostToolResult, mediaOfRead, type ReadMedia } from "@holdfast/core/tools";
import type { McpResource } from "../host/mcp-servers.js";
import { type Mention, parseMentions } from "./mentions.js";

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
    this.#tell(written, "nothing", toPerson(outcome));
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
  async #showMedia(written: string, outcome: Extract<ReadOutcome, { kind: "refusal" }>): Promise<boolean> {
    const { workspace } = this.options;
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
