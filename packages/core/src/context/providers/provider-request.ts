import { type JsonObject, mapTexts } from "../../conversation/values/index.js";
import { defined } from "../../text/index.js";
import type { Content } from "../layout/content.js";
import { lengthOf } from "../layout/layout.js";

/**
 * What the form of every provider gives: `body` is spread into the request of the provider's SDK, to whose
 * types it is assignable. Its lists are not `readonly`, because those of the SDKs are not.
 */
export interface ProviderRequest<Body extends object> {
  readonly body: Body;
  readonly report: RequestReport;
}

/** What a request holds beside the conversation, and for whom it is. All of it can be left out. */
export interface RequestOptions {
  /** The model, as the request names it; without one, the rules of the newest hold. */
  readonly model?: string;
  /** The instructions that stand before the conversation; a blank text is left out. */
  readonly system?: string;
  readonly tools?: readonly OfferedTool[];
  /** `RenderReport.stableParts` of the rendering; all parts unless given. */
  readonly stableParts?: number;
  /**
   * How many parts of the contents stand before each place up to which the request is to be kept (Anthropic); at most three,
   * since the head has the first mark. Chosen from the contents alone unless given.
   */
  readonly breakpoints?: readonly number[];
  /**
   * Now, in milliseconds since the epoch: answers in sound that their API still knows then go back by their ids (Chat
   * Completions). Without it, as what was said in them.
   */
  readonly nowMs?: number;
  /** How long a cache is kept, where requests say so (Anthropic): sets the breakpoints of the report. */
  readonly cache?: "5m" | "1h";
}

/** A tool as it is offered to a model. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema of its arguments: an object's. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** How large a request is, and what of it the next one begins with as well. */
export interface RequestReport {
  /** UTF-16 units; media as Base64, tools as JSON. */
  readonly chars: {
    readonly system: number;
    readonly tools: number;
    readonly contents: number;
  };
  /** What stays whatever is appended: tools, system text and the first parts of the contents. */
  readonly stable: { readonly parts: number; readonly chars: number };
  readonly caching: Caching;
}

/** What a provider keeps of a request for the next one. */
export type Caching =
  /** Only up to the places that the request marks. Set where `RequestOptions.cache` is given. */
  | { readonly kind: "breakpoints"; readonly breakpoints: readonly CacheBreakpoint[]; readonly says: string }
  /** By itself, the longest beginning that it has met before. */
  | { readonly kind: "automatic"; readonly says: string };

/** A place up to which a provider may keep a request: all before it is part of what is kept. */
export interface CacheBreakpoint {
  readonly after: "tools" | "system" | "contents";
  /** In `contents`: the message and the block of it that carries the mark. */
  readonly message?: number;
  readonly block?: number;
  /** How many parts of the neutral form it takes in. */
  readonly parts: number;
  /** UTF-16 units from the beginning: tools, system text, these parts. */
  readonly chars: number;
}

/** The system text as it is sent; undefined where there is nothing to say. */
export function systemText({ system }: RequestOptions): string | undefined {
  return system === undefined || system.trim() === "" ? undefined : wireText(system);
}

/**
 * The tools as they are sent: names that every provider takes, schemas of objects; undefined where there is none.
 *
 * @param schema what the API calls the schema of a tool's arguments.
 */
export function offeredTools<Schema extends string>(
  { tools = [] }: RequestOptions,
  schema: Schema,
): ToolOffer<Schema>[] | undefined {
  if (tools.length === 0) return undefined;
  return tools.map(({ name, description, inputSchema }) => {
    const offer = {
      name: wireName(name),
      ...defined({ description }),
      [schema]: { ...inputSchema, type: "object" },
    };
    // A cast: the compiler does not know which member the name adds.
    return offer as ToolOffer<Schema>;
  });
}

/** A tool whose name and schema a provider takes. */
export type ToolOffer<Schema extends string> = Omit<OfferedTool, "inputSchema"> & {
  readonly [Member in Schema]: { readonly type: "object"; readonly [key: string]: unknown };
};

/** The sizes of a request, in UTF-16 units. */
export class RequestSizes {
  readonly system: number;
  readonly tools: number;
  /** How many parts there are, and how many of them are stable. */
  readonly parts: number;
  readonly stable: number;
  /** Units before and with each part of the contents. */
  readonly #sums: readonly number[];

  constructor(contents: readonly Content[], options: RequestOptions) {
    const offered = offeredTools(options, "inputSchema");
    this.system = systemText(options)?.length ?? 0;
    this.tools = offered === undefined ? 0 : JSON.stringify(offered).length;
    const sums: number[] = [];
    let sum = this.head;
    for (const { parts } of contents)
      for (const part of parts) {
        sum += lengthOf(part);
        sums.push(sum);
      }
    this.#sums = sums;
    this.parts = sums.length;
    this.stable = Math.max(0, Math.min(options.stableParts ?? sums.length, sums.length));
  }

  /** The report on the request. */
  report(caching: Caching): RequestReport {
    return {
      chars: { system: this.system, tools: this.tools, contents: this.upTo(this.parts) - this.head },
      stable: { parts: this.stable, chars: this.upTo(this.stable) },
      caching,
    };
  }

  /** Units of tools and system text together. */
  get head(): number {
    return this.system + this.tools;
  }

  /** Units from the beginning of the request up to and with so many parts. */
  upTo(parts: number): number {
    return this.#sums[parts - 1] ?? this.head;
  }
}

/**
 * Ids as a provider takes them: letters, digits, `_` and `-`, 64 at most unless told. The same id always becomes the
 * same; different ids stay different; what comes later changes nothing.
 */
export class WireIds {
  readonly #given = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** By stem: the numbers below this one are taken. */
  readonly #next = new Map<string, number>();

  /** @param mostLetters of an id; Chat Completions takes 40, all others 64. */
  constructor(private readonly mostLetters = mostLettersOfAll) {}

  of(id: string): string {
    const known = this.#given.get(id);
    if (known !== undefined) return known;
    const stem = id === "" ? "call" : tidy(id, this.mostLetters);
    let free = stem;
    let number = this.#next.get(stem) ?? 2;
    for (; this.#taken.has(free); number += 1) {
      const suffix = `-${number}`;
      free = stem.slice(0, this.mostLetters - suffix.length) + suffix;
    }
    this.#next.set(stem, number);
    this.#given.set(id, free);
    this.#taken.add(free);
    return free;
  }
}

const mostLettersOfAll = 64;

/** A name that every provider takes: it begins with a letter or `_`. */
export function wireName(name: string): string {
  return tidy(/^[a-zA-Z_]/.test(name) ? name : `_${name}`);
}

function tidy(name: string, mostLetters = mostLettersOfAll): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, mostLetters);
}

/** What the wire forms let through: what is sent has to be UTF-8. */
export function wireText(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}

/** Arguments as `wireText` lets them through, names and values. */
export function wireArgs(args: JsonObject): JsonObject {
  return JSON.stringify(args).includes("\\ud") ? mapTexts(args, wireText, wireText) : args;
}
