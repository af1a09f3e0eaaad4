import type { Part, Rendering } from "@holdfast/core/context";
import { excerptOf, type TurnNode } from "@holdfast/core/conversation/values";
import { button, type Child, element } from "./dom.js";
import type { SessionView } from "./session-view.js";
import { code } from "./texts.js";
import { counted, intervals, shortHash, wordOf } from "./words.js";

/** What the model was given at this moment: the lines of files in it, then the prompt itself. */
export function seenView(
  session: SessionView,
  node: TurnNode,
  select: (nodeId: string) => void,
): readonly Child[] {
  const { rendering, at, isAnswer } = session.seen(node);
  const { contents, report } = rendering;
  const lead = isAnswer
    ? "The prompt that this answers, rendered anew from the tree"
    : "The prompt that comes of this, rendered from the tree";
  const shown = new Shown(contents.length);
  return [
    element("h2", {}, isAnswer ? "What the model had before it" : "What the model sees next"),
    element(
      "p",
      { class: "quiet" },
      `${lead} (${counted(contents.length, "message")}, ${counted(report.chars, "character")}), up to `,
      button({ class: "link" }, () => select(at.id), `${wordOf(at.payload)}: ${excerptOf(at.payload, 40)}`),
    ),
    visibleLines(session, rendering, at),
    ...repairs(rendering, select),
    element("h3", {}, "The prompt"),
    shown.list(rendering, select),
  ];
}

/** Which lines of which state of which file stand in a prompt. */
export function visibleLines(session: SessionView, { visibility }: Rendering, at: TurnNode): HTMLElement {
  const states = visibility.states();
  if (states.length === 0) return element("p", { class: "quiet" }, "No line of a file stands in it.");
  const files = session.files(at.id);
  const isOld = (path: string, sha256: string) => (files.get(path)?.at(-1)?.sha256 ?? sha256) !== sha256;
  const rows = states.map(({ path, sha256, lines }) =>
    element(
      "tr",
      {},
      element("td", {}, element("code", {}, path)),
      element(
        "td",
        {},
        element("code", {}, shortHash(sha256)),
        ...(isOld(path, sha256) ? [" ", element("span", { class: "tag old" }, "an older state")] : []),
      ),
      element("td", {}, intervals(lines)),
    ),
  );
  const head = ["file", "state", "lines"].map((name) => element("th", { scope: "col" }, name));
  return element(
    "table",
    { class: "visible" },
    element("caption", {}, "Lines of files that stand in it"),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows),
  );
}

function repairs({ report }: Rendering, select: (nodeId: string) => void): readonly Child[] {
  const rows = report.repairs.map((repair) =>
    element(
      "li",
      {},
      `${repair.what} `,
      button({ class: "link" }, () => select(repair.nodeId), "the node"),
    ),
  );
  return rows.length === 0 ? [] : [element("h3", {}, "Put in by the rendering"), element("ul", {}, ...rows)];
}

/** The end of the prompt, and more of it when asked: most of a long one was seen before. */
class Shown {
  private from: number;

  constructor(private readonly count: number) {
    this.from = Math.max(0, count - step);
  }

  list(rendering: Rendering, select: (nodeId: string) => void): HTMLElement {
    const list = element("ol", { class: "prompt", start: this.from + 1 });
    const draw = () => {
      list.start = this.from + 1;
      const items = rendering.contents.slice(this.from).map((content, index) => {
        const { role, parts } = content;
        const rules = rendering.provenance[this.from + index] ?? [];
        const views = parts.map((part, at) => partView(part, rules[at], select));
        return element("li", { class: `role-${role}` }, element("span", { class: "role" }, role), ...views);
      });
      list.replaceChildren(...(this.from > 0 ? [earlier()] : []), ...items);
    };
    const earlier = () =>
      element(
        "li",
        { class: "earlier" },
        button({ class: "link" }, () => this.more(draw), `Show earlier messages (${this.from} more)`),
      );
    draw();
    return list;
  }

  private more(draw: () => void): void {
    this.from = Math.max(0, this.from - Math.max(step, Math.ceil(this.count / 10)));
    draw();
  }
}

const step = 40;

function partView(
  part: Part,
  why: Rendering["provenance"][number][number] | undefined,
  select: (nodeId: string) => void,
): HTMLElement {
  const origin =
    why === undefined
      ? []
      : [
          button(
            { class: "link why", title: "Show the node that it comes from" },
            () => select(why.nodeId),
            why.rule,
          ),
        ];
  return element("div", { class: "part" }, ...origin, ...partText(part));
}

function partText(part: Part): readonly Child[] {
  if ("text" in part) return [code(part.text)];
  if ("functionCall" in part) {
    const { name, args } = part.functionCall;
    return [element("strong", {}, `→ ${name}`), code(JSON.stringify(args, null, 2))];
  }
  if ("functionResponse" in part) {
    const { name, response } = part.functionResponse;
    const isError = "error" in response;
    return [
      element("strong", {}, `← ${name}${isError ? " (error)" : ""}`),
      code(isError ? response.error : response.output),
    ];
  }
  if ("fileData" in part) return [code(part.fileData.fileUri)];
  if ("blobData" in part) return [element("span", { class: "quiet" }, `${part.blobData.mimeType}, lost`)];
  if ("inlineData" in part)
    return [element("span", { class: "quiet" }, `${part.inlineData.mimeType}, inline`)];
  return [element("span", { class: "quiet" }, "a thought that its provider keeps encrypted")];
}
