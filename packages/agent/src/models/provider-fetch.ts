import { fetchThrough, proxyFor } from "../config/proxied-fetch.js";

/**
 * `fetch` for requests to a provider, through the proxy that the environment names. A redirect to another origin is answered as an error: the prompt, the key and the
 * headers are for the address that was named. An answer that does not end is broken off, and of an error the beginning is read.
 */
export const providerFetch: typeof fetch = async (input, init) => {
  let url = new URL(input instanceof Request ? input.url : input);
  for (let hop = 0; hop <= mostHops; hop++) {
    const proxy = proxyFor(url);
    const asked = { ...init, redirect: "manual" } as const;
    const response = await (proxy === undefined ? fetch(url, asked) : fetchThrough(proxy, url, asked));
    const location =
      response.status === 307 || response.status === 308 ? locationOf(response, url) : undefined;
    if (location === undefined) return isRedirect(response) ? refused(redirected(url)) : limited(response);
    await response.body?.cancel();
    if (location.origin !== url.origin) return refused(redirected(url, location.origin));
    url = location;
  }
  return refused(`${url.origin} redirects in a circle.`);
};

const mostHops = 5;

/** In bytes, unpacked: far above the longest answer of any model, its longest event, and what is said of an error. */
const mostBytes = { answer: 64 << 20, line: 16 << 20, error: 64 << 10 };

function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

function locationOf({ headers }: Response, url: URL): URL | undefined {
  const location = headers.get("location");
  return location !== null && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}

function redirected({ origin }: URL, to?: string): string {
  const where = to === undefined ? "elsewhere" : `to another origin (${to})`;
  return `${origin} redirects ${where}, and no redirect takes a prompt there: name the right address as the provider's baseUrl.`;
}

/** In the form that every SDK reads a message from. */
function refused(message: string): Response {
  return Response.json({ error: { type: "redirect", code: 400, message } }, { status: 400 });
}

function limited(response: Response): Response {
  if (response.body === null) return response;
  const { ok, status, statusText, headers } = response;
  let [bytes, line] = [0, 0];
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      const end = chunk.lastIndexOf(10);
      line = end < 0 ? line + chunk.length : chunk.length - end - 1;
      if (ok && (bytes > mostBytes.answer || line > mostBytes.line))
        return controller.error(Object.assign(new Error(endless), { status: 400 }));
      controller.enqueue(chunk);
      if (!ok && bytes > mostBytes.error) controller.terminate();
    },
  });
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}

const endless = `The answer went on above ${mostBytes.answer >> 20} MiB, or ${mostBytes.line >> 20} MiB in one event, and was broken off.`;
