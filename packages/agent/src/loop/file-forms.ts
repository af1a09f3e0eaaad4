import type { ModelFailure, Rendering } from "@holdfast/core/context";
import { type ContextManager, openCalls, upwards } from "@holdfast/core/conversation";
import {
  type ConversationRefusal,
  type FileApiState,
  type FileContent,
  type FormChange,
  fileContentOf,
  type Media,
  type TurnNode,
  type UserMessage,
} from "@holdfast/core/conversation/values";
import type { Workspace } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";
import { fromBase64 } from "@holdfast/core/text";
import type { StagedMedia } from "../input/expand-input.js";
import { nodesOf, partsOnBranch } from "./left-out.js";

/** Where bytes of files are uploaded to, and which. */
export interface FileUploads {
  /** Opens the account's files with the first that is wanted; undefined where there is no account. The caller closes them. */
  readonly open: () => Promise<GoogleFiles | undefined>;
  /** Only files of at least so many bytes: below, an upload costs more than it saves. */
  readonly fromBytes: number;
  /** SHA-256 as 64 hex digits. */
  readonly digest: (bytes: Uint8Array) => string;
}

/**
 * Files at the Gemini File API by their content (seed 4, "File API"; page 4): the same bytes are uploaded once, in the
 * background, and no turn waits for it. A file whose address is not ACTIVE stands in the prompt by its text.
 */
export interface GoogleFiles {
  /** Uploads the bytes unless they are there or on their way. @returns how they stand now; it never waits. */
  offer(file: OfferedFile): FileApiState;
  /** How the bytes stand now; undefined where they were never offered or are about to expire. */
  find(sha256: string): FileApiState | undefined;
  /** A request that named this address of the file was refused: it is uploaded once more, and the next time given up. */
  refused(uri: string, file: OfferedFile): void;
  /** Resolves when no upload is under way. */
  idle(): Promise<void>;
  /** Ends what is under way; resolves when that is so. Nothing is waited for that the network has to say. */
  close(): Promise<void>;
}

/** Bytes that may be uploaded. */
export interface OfferedFile {
  /** SHA-256 of the bytes, 64 hex digits. */
  readonly sha256: string;
  readonly mimeType: string;
  /** Asked for when it is their turn; undefined where they are gone by then. */
  readonly bytes: () => Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** Begins uploads of what a person names, where they pay. */
export interface FileOffers {
  /** @returns a sentence for the person; undefined where nothing begins by it. Never waits for the network. */
  media(file: StagedMedia): Promise<string | undefined>;
  /** The same for a file of the workspace in its present state. */
  file(path: string): Promise<string | undefined>;
}

/** Bytes that are worth an upload. */
interface Offer {
  readonly file: OfferedFile;
  readonly sizeBytes: number;
}

/** What the forms of files are chosen with. */
interface FileFormsParts {
  readonly manager: ContextManager;
  readonly workspace: Pick<Workspace, "mayHoldSecrets" | "read">;
  readonly uploads: FileUploads;
  /** As of `AgentParts`. */
  readonly readBlob?: (sha256: string) => Promise<Uint8Array | ConversationRefusal | undefined>;
}

/** The prompt that is about to be sent. */
interface NextPrompt {
  readonly rendering: Rendering;
  /** Whether the provider's cache holds nothing of it, so that a change is free. */
  readonly isCold: boolean;
}

/**
 * Chooses for each file of a prompt whether it stands there by its text or by its address at Google (page 4, "File API").
 * A choice is journaled as an overlay, and is not made anew while the provider's cache is warm: bytes that were sent stay as
 * they are, until an address expires or is refused. What is not uploaded yet is sent by its text; nothing waits.
 */
export class FileForms implements FileOffers {
  #files: Promise<GoogleFiles | undefined> | undefined;
  /** Nodes that stood by their address in the last prompt: if they do not any more, their bytes change anyway. */
  #byAddress: ReadonlySet<string> = new Set();
  /** Where the head stood when the last prompt was sent, whether it was answered or not. */
  #sentHead = "";
  readonly #offered = new WeakMap<object, Offer | undefined>();

  constructor(private readonly parts: FileFormsParts) {}

  /**
   * Begins the uploads that are due, and decides which files stand by their address from now on.
   *
   * @param tell gets a sentence for the person on each upload that begins.
   */
  async choose({ rendering, isCold }: NextPrompt, tell: (text: string) => void): Promise<void> {
    const { manager } = this.parts;
    if (openCalls(manager.context, manager.context.currentNodeId).length > 0) return;
    const changes: FormChange[] = [];
    const sentDepth = this.#sentDepth();
    for (const node of this.#nodesOf(rendering, "bytes")) {
      const fileApi = await this.#stateOf(node, tell);
      const isFree = isCold || node.depth > sentDepth || this.#byAddress.has(node.id);
      if (isFree && fileApi?.state === "ACTIVE" && (await this.#mayLeave(node)))
        changes.push({ targetId: node.id, form: { form: "uri", fileApi } });
    }
    const before = this.#nodesOf(rendering, "address").map(({ id }) => id);
    this.#byAddress = new Set([...before, ...changes.map(({ targetId }) => targetId)]);
    this.#reform(changes);
    this.#sentHead = manager.context.currentNodeId;
  }

  /**
   * After a request that was refused for an address of a file: such files are sent by their bytes instead, and are uploaded
   * once more.
   *
   * @returns whether the next request is another one; false where the failure is about something else.
   */
  async refused(failure: ModelFailure, rendering: Rendering): Promise<boolean> {
    const { nodes } = this.parts.manager.context;
    const addresses = blamed(failure, addressesIn(rendering));
    for (const { nodeId, uri } of addresses) {
      const node = nodes.get(nodeId);
      const offer = node && this.#offerOf(node);
      if (offer !== undefined && (await this.#mayLeave(node)))
        (await this.#opened())?.refused(uri, offer.file);
    }
    return this.#reform(
      addresses.map(({ nodeId }) => ({ targetId: nodeId, form: { form: "inline" } as const })),
    );
  }

  async media({ path, sha256, mimeType, data }: StagedMedia): Promise<string | undefined> {
    const sizeBytes = mediaBytes({ mimeType, data });
    if (sizeBytes < this.parts.uploads.fromBytes) return undefined;
    const file = { sha256, mimeType, bytes: async () => fromBase64(data) };
    return this.#begin(path, { file, sizeBytes });
  }

  async file(path: string): Promise<string | undefined> {
    const found = await this.parts.workspace.read({ path }, { isSilent: true });
    if (found.kind !== "read") return undefined;
    const payload = fileContentOf(found, { path });
    const offer = this.#ofText(payload);
    return offer === undefined ? undefined : this.#begin(path, offer);
  }

  #opened(): Promise<GoogleFiles | undefined> {
    this.#files ??= this.parts.uploads.open();
    return this.#files;
  }

  /** How a file stands at Google; its upload begins where it may and pays. */
  async #stateOf(node: TurnNode, tell: (text: string) => void): Promise<FileApiState | undefined> {
    const offer = this.#offerOf(node);
    if (offer === undefined) return undefined;
    const { payload } = node;
    const { sha256 } = offer.file;
    const known = (await this.#opened())?.find(sha256);
    // Whose file a medium was is known where it is named, and nowhere else.
    if (known !== undefined || payload.kind !== "file_content") return known;
    const said = await this.#begin(payload.path, offer);
    if (said !== undefined) tell(said);
    return (await this.#opened())?.find(sha256);
  }

  async #begin(path: string, { file, sizeBytes }: Offer): Promise<string | undefined> {
    const files = await this.#opened();
    if (files === undefined || files.find(file.sha256) !== undefined) return undefined;
    if (await this.parts.workspace.mayHoldSecrets(path, file.sha256)) return undefined;
    files.offer(file);
    const size = `${Math.ceil(sizeBytes / 1024)} KiB`;
    return `${path} (${size}) is being uploaded to Google, which keeps it for two days; until it is there, it is sent as it is.`;
  }

  async #mayLeave(node: TurnNode | undefined): Promise<boolean> {
    if (node?.payload.kind !== "file_content") return true;
    const { payload } = node;
    return !(await this.parts.workspace.mayHoldSecrets(payload.path, payload.sha256));
  }

  /** @returns whether anything changed by it. */
  #reform(changes: readonly FormChange[]): boolean {
    return changes.length > 0 && !isRefusal(this.parts.manager.reform(changes));
  }

  /** The depth of the last answer of the model, or of the last prompt: what stands above it was sent. */
  #sentDepth(): number {
    const { context } = this.parts.manager;
    for (const { id, depth, payload } of upwards(context, context.currentNodeId))
      if (id === this.#sentHead || payload.kind === "model_message" || payload.kind === "tool_call")
        return depth;
    return -1;
  }

  #nodesOf(rendering: Rendering, form: "bytes" | "address"): readonly TurnNode[] {
    const rules: readonly string[] = form === "address" ? ["file_uri"] : ["file_inline", "media"];
    return nodesOf(this.parts.manager.context, rendering, ({ rule }) => rules.includes(rule));
  }

  /** The bytes that a node stands for, where they are worth an upload. */
  #offerOf({ payload }: TurnNode): Offer | undefined {
    if (payload.kind === "file_content") return this.#ofText(payload);
    return payload.kind === "user_message" ? this.#ofMedium(payload) : undefined;
  }

  /** Only all of a file whose text is its bytes: behind an address the model would see something else. */
  #ofText(payload: FileContent): Offer | undefined {
    return this.#once(payload, () => {
      const { form, lines, text, sha256, repeats = [], verified } = payload;
      const isWhole = form !== "window" && lines.from === 1 && lines.to === lines.total && verified === true;
      if (!isWhole || repeats.length > 0) return undefined;
      const { digest, fromBytes } = this.parts.uploads;
      const sizeBytes = encoder.encode(text).length;
      if (sizeBytes < fromBytes || sizeBytes === 0) return undefined;
      // A byte order mark is no part of a text, and part of the bytes.
      const written = [text, `\ufeff${text}`].find((each) => digest(encoder.encode(each)) === sha256);
      if (written === undefined) return undefined;
      const file = { sha256, mimeType: "text/plain", bytes: async () => encoder.encode(written) };
      return { file, sizeBytes };
    });
  }

  #ofMedium({ media = [] }: UserMessage): Offer | undefined {
    const [medium] = media;
    if (medium === undefined || media.length > 1) return undefined;
    const { digest, fromBytes } = this.parts.uploads;
    const { mimeType } = medium;
    return this.#once(medium, () => {
      const sizeBytes = mediaBytes(medium);
      if (sizeBytes < fromBytes) return undefined;
      if (!("data" in medium)) {
        const { sha256 } = medium;
        return { file: { sha256, mimeType, bytes: () => this.#blob(sha256) }, sizeBytes };
      }
      const bytes = fromBase64(medium.data);
      if (bytes === undefined) return undefined;
      const file = { sha256: digest(bytes), mimeType, bytes: async () => fromBase64(medium.data) };
      return { file, sizeBytes };
    });
  }

  async #blob(sha256: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = await this.parts.readBlob?.(sha256);
    return bytes === undefined || isRefusal(bytes) ? undefined : new Uint8Array(bytes);
  }

  /** Nodes never change, and are looked at before each request. */
  #once(value: object, make: () => Offer | undefined): Offer | undefined {
    if (!this.#offered.has(value)) this.#offered.set(value, make());
    return this.#offered.get(value);
  }
}

const encoder = new TextEncoder();

function mediaBytes(medium: Media): number {
  return "data" in medium ? Math.floor((medium.data.length * 3) / 4) : medium.sizeBytes;
}

/** An address in a prompt, and the node that has it. */
interface Address {
  readonly nodeId: string;
  readonly uri: string;
}

function addressesIn(rendering: Rendering): readonly Address[] {
  return partsOnBranch(rendering).flatMap(({ part, nodeId }) =>
    "fileData" in part ? [{ nodeId, uri: part.fileData.fileUri }] : [],
  );
}

/** Those that the provider names; all where it only says that something may not be had (403). */
function blamed({ status, message }: ModelFailure, addresses: readonly Address[]): readonly Address[] {
  if (status !== 400 && status !== 403 && status !== 404) return [];
  const words = new Set(message.split(/[^\w-]+/u));
  const named = addresses.filter(({ uri }) => words.has(uri.slice(uri.lastIndexOf("/") + 1)));
  return named.length > 0 || status !== 403 ? named : addresses;
}
