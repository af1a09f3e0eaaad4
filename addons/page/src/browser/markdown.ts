import MarkdownIt, { type Token } from "markdown-it";
import { element, plain } from "./dom.js";

/**
 * Markdown as elements. HTML in it stays text, images are links, and a link leads to http or https alone: the tokens
 * of the parser are made into elements of a closed list, so that no text of a model is ever read as HTML.
 */
export function markdown(text: string): HTMLElement {
  const root = element("div", { class: "prose", dir: "auto" });
  // A longer text is shown as it stands.
  if (text.length > 200_000) root.append(plain(text));
  else build(root, parser.parse(text, {}));
  return root;
}

const parser = new MarkdownIt({ html: false, linkify: false });
parser.validateLink = (address) => /^https?:\/\//i.test(address);

function build(root: HTMLElement, tokens: readonly Token[]): void {
  const open: HTMLElement[] = [root];
  for (const token of tokens) {
    const parent = open.at(-1) ?? root;
    if (token.type === "inline") build(parent, token.children ?? []);
    else if (token.hidden) continue;
    else if (token.nesting < 0) open.pop();
    else if (token.nesting > 0) {
      const made = opened(token);
      parent.append(made);
      open.push(made);
    } else parent.append(leaf(token));
  }
}

function opened(token: Token): HTMLElement {
  const tag = tags[token.tag] ?? "span";
  if (tag === "a") return link(token.attrGet("href"));
  const start = tag === "ol" ? token.attrGet("start") : null;
  return element(tag, { start: start ?? undefined, class: tag === "table" ? "visible" : undefined });
}

function leaf(token: Token): Node {
  switch (token.type) {
    case "code_inline":
      return element("code", {}, token.content);
    case "fence":
    case "code_block":
      return element("pre", { class: "code", tabindex: 0 }, token.content);
    case "softbreak":
      return document.createTextNode("\n");
    case "hardbreak":
      return element("br");
    case "hr":
      return element("hr");
    case "image":
      return link(token.attrGet("src"), token.content || "image");
    default:
      return document.createTextNode(plain(token.content));
  }
}

function link(address: ReturnType<Token["attrGet"]>, text = ""): HTMLElement {
  return element("a", { href: address ?? "", rel: "noopener noreferrer", target: "_blank" }, text);
}

/** What a token may become; the headings of a text stand below those of the page. */
const tags: Readonly<Record<string, keyof HTMLElementTagNameMap>> = {
  ...{ p: "p", ul: "ul", ol: "ol", li: "li", blockquote: "blockquote", a: "a" },
  ...{ h1: "h4", h2: "h4", h3: "h5", h4: "h5", h5: "h6", h6: "h6" },
  ...{ table: "table", thead: "thead", tbody: "tbody", tr: "tr", th: "th", td: "td" },
  ...{ strong: "strong", em: "em", s: "s" },
};
