import type { LookupAddress } from "node:dns";
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import type { LookupFunction } from "node:net";
import type { Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type AllowedHosts, allowedAddresses, endingWithin, withinTime } from "@holdfast/agent/host";
import { isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import { causeOf } from "@holdfast/core/text";

/** Which pages may be fetched, and how much of them. */
export interface FetchPolicy extends AllowedHosts {
  /** Of one answer, unpacked: 5 MiB unless given. */
  readonly mostBytes?: number;
  /** For all of it, redirects included, in milliseconds: 30,000 unless given. */
  readonly timeMs?: number;
}

/** A page as it came. */
export interface FetchedPage {
  readonly kind: "page";
  /** After all redirects. */
  readonly url: string;
  readonly status: number;
  /** Without its parameters, in small letters. */
  readonly mimeType: string;
  readonly charset?: string;
  readonly bytes: Uint8Array;
  /** The page is longer than what was taken. */
  readonly isCut: boolean;
}

/**
 * Fetches a page by GET. The name is looked up once for each hop and connected to by what was found and checked, so
 * that no second answer of the name's server leads elsewhere; each redirect is checked as the first address is.
 *
 * @returns `denied` for a host or an address that is not allowed, `invalid_arguments` for what is no address of http,
 *   `not_found` where nobody answers, `timeout`, `cancelled`.
 */
export async function fetchPage(
  url: string,
  policy: FetchPolicy,
  signal?: AbortSignal,
): Promise<FetchedPage | Refusal> {
  const { timeMs = 30_000 } = policy;
  const ending = endingWithin(timeMs, signal);
  try {
    return await withinTime(follow(url, policy, ending), ending);
  } catch (error) {
    if (signal?.aborted === true) return refuse("cancelled", "Fetching was cancelled.");
    if (ending.aborted) return refuse("timeout", `The page did not come within ${timeMs / 1_000} s.`);
    return refuse("not_found", `The page cannot be fetched: ${causeOf(error)}.`);
  }
}

const mostHops = 5;

async function follow(
  first: string,
  policy: FetchPolicy,
  signal: AbortSignal,
): Promise<FetchedPage | Refusal> {
  let next = first;
  for (let hop = 0; hop <= mostHops; hop++) {
    const url = addressOf(next);
    if (isRefusal(url)) return url;
    const addresses = await allowedAddresses(url, policy);
    if (isRefusal(addresses)) return addresses;
    const response = await get(url, addresses, signal);
    const { statusCode: status = 0, headers } = response;
    const isRedirect = [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined;
    if (!isRedirect) return pageOf(url, response, policy);
    response.destroy();
    const { location = "" } = headers;
    next = URL.canParse(location, url.href) ? new URL(location, url.href).href : location;
  }
  return refuse("not_found", `The page leads to another one more than ${mostHops} times.`);
}

function addressOf(text: string): URL | Refusal {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !(url.protocol === "http:" || url.protocol === "https:"))
    return refuse("invalid_arguments", "Only addresses that begin with http:// or https:// are fetched.");
  if (url.username !== "" || url.password !== "")
    return refuse("invalid_arguments", "An address with a user name or a password is not fetched.");
  return url;
}

function get(url: URL, addresses: readonly LookupAddress[], signal: AbortSignal): Promise<IncomingMessage> {
  const lookup: LookupFunction = (_, options, answer) => {
    const [first] = addresses;
    if (options.all === true) answer(null, [...addresses]);
    else answer(null, first?.address ?? "", first?.family);
  };
  const headers = {
    accept: "text/html, text/*, application/json;q=0.9, */*;q=0.1",
    "user-agent": "holdfast",
  };
  const request = url.protocol === "https:" ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const asked = request(url, { lookup, signal, headers, agent: false });
    asked.once("response", resolve);
    asked.once("error", reject);
    asked.end();
  });
}

async function pageOf(url: URL, response: IncomingMessage, policy: FetchPolicy): Promise<FetchedPage> {
  const { statusCode: status = 0, headers } = response;
  const [type = "", ...parameters] = (headers["content-type"] ?? "").split(";");
  const charset = parameters
    .map((one) => /^\s*charset="?([\w-]+)/i.exec(one)?.[1])
    .find((one) => one !== undefined);
  const body = await bodyOf(response, policy.mostBytes ?? 5 << 20);
  const mimeType = type.trim().toLowerCase();
  return {
    kind: "page",
    url: url.href,
    status,
    mimeType,
    ...body,
    ...(charset === undefined ? {} : { charset }),
  };
}

async function bodyOf(response: IncomingMessage, mostBytes: number) {
  const unpacked = unpack(response);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of unpacked) {
      // A stream of bytes gives bytes.
      const bytes = chunk as Uint8Array;
      chunks.push(bytes.subarray(0, mostBytes - size));
      size += bytes.length;
      if (size > mostBytes) break;
    }
  } finally {
    response.destroy();
  }
  return { bytes: Buffer.concat(chunks), isCut: size > mostBytes };
}

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

function unpack(response: IncomingMessage): Readable {
  const packing = (response.headers["content-encoding"] ?? "").trim().toLowerCase();
  const make = Object.hasOwn(unpackers, packing) ? unpackers[packing] : undefined;
  if (make === undefined) return response;
  const unpacking = make();
  response.once("error", (error) => unpacking.destroy(error));
  return response.pipe(unpacking);
}
