import { dataId, type LiveAnswer, type PageData } from "./page-data.js";

/** Where the page has its session from. */
export interface SessionSource {
  /** @returns undefined where nothing can be read; why is said by `onState`. */
  readonly first: () => Promise<PageData | LiveAnswer | undefined>;
  /** What is not in the session itself: the text of a file's state, the Base64 of a medium. */
  readonly fetch?: (kind: "state" | "blob", hash: string) => Promise<string | undefined>;
  /** Of a session that came cut: all of it is what comes next. */
  readonly whole?: () => void;
  /** Follows the session. @param take is given what is new. */
  readonly follow?: (take: (answer: LiveAnswer) => void) => Promise<void>;
}

/** How a live page stands to its server. @param text for a person. */
export type OnState = (kind: "following" | "lost" | "refused" | "trouble", text: string) => void;

/** The session that stands in the page, or the one that its server follows. */
export function openSource(onState: OnState): SessionSource {
  const packed = document.getElementById(dataId)?.textContent ?? "";
  // A cast: the program wrote it into this very file.
  if (packed !== "") return { first: async () => (await unpacked(packed)) as PageData };
  return new LiveSource(onState);
}

function unpacked(base64: string): Promise<unknown> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

class LiveSource implements SessionSource {
  /** What is asked for next. */
  private wanted = "cut";
  private asking = new AbortController();
  private isRefused = false;

  constructor(private readonly onState: OnState) {
    // Another token behind `#`, as a server that was started anew prints it.
    addEventListener("hashchange", () => location.reload());
  }

  whole = (): void => {
    this.wanted = "";
    this.asking.abort();
  };

  fetch = async (kind: "state" | "blob", hash: string): Promise<string | undefined> => {
    const response = await this.ask(`/${kind}/${hash}`).catch(() => undefined);
    return response?.status === 200 ? response.text() : undefined;
  };

  follow = async (take: (answer: LiveAnswer) => void): Promise<void> => {
    for (let answer = await this.first(); answer !== undefined; answer = await this.first())
      if (answer.from === 0 || answer.records.length > 0) take(answer);
  };

  /** Asks until there is an answer, or the token is refused: the server may go away and come back. */
  first = async (): Promise<LiveAnswer | undefined> => {
    for (let wait = leastWaitMs; ; wait = Math.min(2 * wait, mostWaitMs)) {
      this.asking = new AbortController();
      const answer = await this.records(this.wanted).catch(() => undefined);
      if (answer !== undefined || this.isRefused) return answer;
      if (this.asking.signal.aborted) continue;
      this.onState("lost", "The server does not answer; trying again");
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  };

  private async records(wanted: string): Promise<LiveAnswer | undefined> {
    const response = await this.ask(`/records?${wanted}`, this.asking.signal);
    this.isRefused = response.status === 401;
    if (this.isRefused)
      this.onState(
        "refused",
        "The token of this address is wrong: open the address that holdfast view prints",
      );
    if (!response.ok) return undefined;
    // A cast: our own server wrote it.
    const answer = (await response.json()) as LiveAnswer;
    if (this.wanted === wanted) this.wanted = `seen=${encodeURIComponent(answer.mark)}`;
    if (answer.trouble === undefined) this.onState("following", "Following");
    else this.onState("trouble", answer.trouble);
    return answer;
  }

  private ask(path: string, signal?: AbortSignal): Promise<Response> {
    const headers = { Authorization: `Bearer ${location.hash.slice(1)}` };
    return fetch(path, { headers, cache: "no-store", signal: signal ?? null });
  }
}

const leastWaitMs = 300;
const mostWaitMs = 5_000;
