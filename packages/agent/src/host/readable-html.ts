/**
 * The words of an HTML page, by a simple rule: what is not shown (scripts, styles, comments, heads but their title) is
 * left out; blocks begin a line, headings with `#`, items of a list with `-`; links stand as `words (address)`;
 * everything else that is a tag goes. Takes time in proportion to the page.
 */
export function readableHtml(html: string): string {
  const reader = new HtmlReader();
  for (let at = 0; at < html.length; ) at = reader.take(html, at);
  return reader.text();
}

/** Elements whose content is never shown; they end with their own end tag alone. */
const hidden: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "textarea",
]);

const blocks: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 " +
    "h5 h6 header hr html li main nav ol option p pre section summary table tbody td tfoot th thead title tr ul"
  ).split(" "),
);

class HtmlReader {
  private readonly parts: string[] = [];
  private readonly links: string[] = [];
  private preDepth = 0;
  private isLastTag = false;

  /** Takes the text or the tag at an offset, and gives the offset after it. */
  take(html: string, at: number): number {
    if (html[at] !== "<") return this.takeText(html, at);
    if (html.startsWith("<!--", at)) return after(html, "-->", at + 4);
    const tag = /[a-zA-Z!?/]/.test(html[at + 1] ?? "") && !this.isLastTag ? html.indexOf(">", at) : -1;
    if (tag < 0) {
      // What is not found once is not looked for at each further tag.
      this.isLastTag ||= /[a-zA-Z!?/]/.test(html[at + 1] ?? "");
      this.parts.push("<");
      return at + 1;
    }
    return this.takeTag(html, html.slice(at + 1, tag), tag + 1);
  }

  text(): string {
    return this.parts
      .join("")
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  }

  private takeText(html: string, at: number): number {
    const next = html.indexOf("<", at);
    const end = next < 0 ? html.length : next;
    const words = withoutEntities(html.slice(at, end));
    const shown = this.preDepth > 0 ? words : words.replace(/[ \t\r\n\f]+/g, " ");
    const isAtStart = this.preDepth === 0 && (this.parts.at(-1)?.endsWith("\n") ?? true);
    this.parts.push(isAtStart ? shown.trimStart() : shown);
    return end;
  }

  private takeTag(html: string, tag: string, next: number): number {
    const isEnd = tag.startsWith("/");
    const name = (/^\/?([a-zA-Z][a-zA-Z0-9]*)/.exec(tag)?.[1] ?? "").toLowerCase();
    if (!isEnd && hidden.has(name) && !tag.endsWith("/")) return endOf(html, name, next);
    if (name === "pre") this.preDepth = Math.max(0, this.preDepth + (isEnd ? -1 : 1));
    if (name === "a") this.takeLink(tag, isEnd);
    if (blocks.has(name)) this.beginLine(name, isEnd);
    return next;
  }

  private takeLink(tag: string, isEnd: boolean): void {
    if (!isEnd) {
      const [, double, single, bare] = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag) ?? [];
      this.links.push(withoutEntities(double ?? single ?? bare ?? ""));
      return;
    }
    const address = this.links.pop() ?? "";
    if (/^(https?:|\/)/i.test(address)) this.parts.push(` (${address})`);
  }

  private beginLine(name: string, isEnd: boolean): void {
    const isParagraph = /^(p|h[1-6]|pre|table|ul|ol|blockquote|title)$/.test(name);
    this.parts.push(isParagraph ? "\n\n" : "\n");
    if (isEnd) return;
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined) this.parts.push(`${"#".repeat(Number(level))} `);
    if (name === "li") this.parts.push("- ");
  }
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

/** The offset after the end tag; each is looked for from where the last one ended, so the page is read once. */
function endOf(html: string, name: string, from: number): number {
  const found = new RegExp(`</${name}[\\s>]`, "gi");
  found.lastIndex = from;
  const at = found.exec(html);
  return at === null ? html.length : after(html, ">", at.index);
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  laquo: "«",
  raquo: "»",
  copy: "©",
};

function withoutEntities(text: string): string {
  return text.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return entities[name.toLowerCase()] ?? whole;
    const point = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
