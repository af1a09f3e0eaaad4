/**
 * The few globals of the web platform that the pure rooms may use. Everything else that Node offers
 * (fs, process, Buffer, console, fetch, timers) does not exist for them: the compiler is the guard.
 */
declare class TextDecoder {
  constructor(label?: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean });
  decode(input?: Uint8Array): string;
}

declare class TextEncoder {
  encode(input?: string): Uint8Array;
  encodeInto(source: string, destination: Uint8Array): { readonly read: number; readonly written: number };
}

interface AbortSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

declare class URL {
  constructor(url: string, base?: string);
  readonly pathname: string;
}

/** In Node since 20.0; in the compiler's tables only since es2024. */
interface String {
  isWellFormed(): boolean;
  toWellFormed(): string;
}
