import type { Files, GoogleGenAI, HttpOptions } from "@google/genai/web";
import { defined } from "@holdfast/core/text";
import { type ProviderOptions, providerFetch, sdkKey } from "./provider-port.js";

/** Whose files they are: a key, and where it is taken. */
export type GoogleAccount = Pick<ProviderOptions, "key" | "baseUrl" | "headers">;

/**
 * The File API through Google's SDK, which is loaded by this.
 *
 * @param signal ends its requests: the SDK's own signal does not reach an upload, and an open connection keeps a process.
 */
export async function googleFilesClient(account: GoogleAccount, signal: AbortSignal): Promise<Files> {
  const client = await googleClient(account, {
    fetch: (url: Parameters<typeof fetch>[0], init: RequestInit = {}) => fetchUntil(url, init, signal),
  });
  return client.files;
}

/** Google's SDK, loaded now. @param own how it is to make its requests. */
export async function googleClient(
  { key, baseUrl, headers }: GoogleAccount,
  own: HttpOptions,
): Promise<GoogleGenAI> {
  const { GoogleGenAI: Client } = await import("@google/genai/web");
  // The SDK changes the headers that it is given.
  const given = defined({ baseUrl, headers: headers === undefined ? undefined : { ...headers } });
  return new Client({ apiKey: sdkKey(key), vertexai: false, httpOptions: { ...given, ...own } });
}

async function fetchUntil(
  url: Parameters<typeof fetch>[0],
  init: RequestInit,
  ending: AbortSignal,
): Promise<Response> {
  const signal = init.signal ? AbortSignal.any([init.signal, ending]) : ending;
  const response = await providerFetch(url, { ...init, signal });
  const isPiece = new Headers(init.headers).has("x-goog-upload-offset");
  // The SDK would send the piece again after a pause that nothing ends.
  if (isPiece && response.ok && !response.headers.has("x-goog-upload-status"))
    throw new Error("the server does not say what became of the upload");
  return response;
}
