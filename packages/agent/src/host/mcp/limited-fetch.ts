/**
 * `fetch`, with a bound for what an answer may hold: for a stream of events between two line ends, for anything else in
 * all. An answer that is larger breaks off with an error.
 *
 * @param limitBytes of one message.
 */
export function limitedFetch(limitBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const body = response.body.pipeThrough(limiter(limitBytes, isStream));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  };
}

function limiter(limitBytes: number, isByLine: boolean): TransformStream<Uint8Array, Uint8Array> {
  let count = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lineEnd = isByLine ? chunk.lastIndexOf(lineFeed) : -1;
      count = lineEnd < 0 ? count + chunk.length : chunk.length - lineEnd - 1;
      if (count > limitBytes) controller.error(new Error(`a message has more than ${limitBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}

const lineFeed = 0x0a;
