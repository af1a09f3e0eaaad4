import type { Ledger } from "./ledger.js";

/** A call that the model of a server makes. */
export interface ServedCall {
  readonly name: string;
  /** In its texts `{{sha256:PATH}}` and `{{found:REGEX}}` are what the request shows last. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a server answers to one request, in the words of no provider. */
export interface ServedAnswer {
  readonly thought?: string;
  readonly text?: string;
  readonly calls?: readonly ServedCall[];
  /** Whether it ends because no more tokens were allowed. */
  readonly isCut?: true;
  /** In its place, or in the middle of it. */
  readonly fault?: Fault;
  /** What the request is said to have had; 100 tokens and nothing cached unless given. */
  readonly prompt?: PromptTokens;
}

/** The tokens of a request. */
export interface PromptTokens {
  readonly total: number;
  /** Read of the cache, and written to it. */
  readonly cached: number;
  readonly written: number;
}

export const someTokens: PromptTokens = { total: 100, cached: 0, written: 0 };

/** What goes wrong with an answer. */
export type Fault =
  /** No stream, but this status. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly says?: string;
    }
  /** The connection ends in the middle of the first call, or of the words where there is no call. */
  | { readonly kind: "cut" }
  /** The stream says nothing any more there, and stays open. */
  | { readonly kind: "stall" }
  /** An event there is no JSON. */
  | { readonly kind: "malformed" }
  /** Nothing is answered at all, and the connection stays. */
  | { readonly kind: "hold" }
  /** The bytes come in small pieces with pauses, in milliseconds. */
  | { readonly kind: "slow"; readonly pauseMs: number };

/** One event of a stream as it goes over the wire, and what of the answer it carries. */
export interface WireEvent {
  readonly text: string;
  readonly carries: "frame" | "thought" | "words" | "call";
}

/** One of the four APIs, as its provider documents it; written without a look at our own renderer. */
export interface Wire {
  readonly name: string;
  /** As the agent names provider and model. */
  readonly provider: string;
  readonly model: string;
  /** Whether thoughts go over this wire at all. */
  readonly thinks: boolean;
  /** Method and path of a request for an answer. */
  readonly path: RegExp;
  /** Below the server's address, what clients are given as the base URL. */
  readonly base: string;
  /** The key that a request carries. */
  keyOf(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined;
  /** What the API refuses of a request, the first thing first. */
  complaints(body: unknown, ledger: Ledger): Iterable<string>;
  stream(answer: ServedAnswer, ledger: Ledger): readonly WireEvent[];
  malformed: string;
  error(status: number, message: string): object;
}

/** A text in pieces of seven letters. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,7}/gu) ?? [];
}
