import type { TurnNode } from "@holdfast/core/conversation/values";
import { diffTexts, type LineChange } from "@holdfast/core/patch";
import { splitLines } from "@holdfast/core/text";
import { button, type Child, element } from "./dom.js";
import type { FileVersion, SessionView } from "./session-view.js";
import { counted, intervals, shortHash } from "./words.js";

/** Which file the right side shows, and between which of its versions. */
export interface FileChoice {
  readonly path: string;
  /** The version to look at, and the one to compare it with; the one before unless chosen. */
  readonly to: number;
  readonly from: number;
  readonly whole: boolean;
}

/** The files as the selected turn knows them, and what changed between two versions of one. */
export function filesView(
  session: SessionView,
  node: TurnNode,
  chosen: FileChoice | undefined,
  choose: (choice: FileChoice) => void,
): readonly Child[] {
  const files = session.files(node.id);
  if (files.size === 0) return [element("p", { class: "quiet" }, "No file is known at this turn yet.")];
  const choice = fittingChoice(files, node, chosen);
  const versions = files.get(choice.path) ?? [];
  return [
    element("h2", {}, "Files at this turn"),
    fileList(files, node, choice, choose),
    element("h3", { class: "path" }, choice.path),
    versionList(versions, choice, choose),
    ...comparison(session, node, versions, choice, choose),
  ];
}

type Files = ReturnType<SessionView["files"]>;

/** What was chosen, where it is there; else what this turn changed, else what changed last. */
function fittingChoice(files: Files, node: TurnNode, chosen: FileChoice | undefined): FileChoice {
  const kept = chosen === undefined ? undefined : files.get(chosen.path);
  if (chosen !== undefined && kept !== undefined && chosen.to <= kept.length) return chosen;
  const changed = [...files].filter(([, versions]) => versions.at(-1)?.nodeId === node.id);
  const written = [...files].filter(([, versions]) => versions.at(-1)?.by === "tool");
  const [path, versions] = changed[0] ?? written[0] ?? [...files][0] ?? ["", []];
  return { path, to: versions.length, from: Math.max(0, versions.length - 1), whole: false };
}

function fileList(
  files: Files,
  node: TurnNode,
  choice: FileChoice,
  choose: (choice: FileChoice) => void,
): HTMLElement {
  const rows = [...files].map(([path, versions]) => {
    const last = versions.at(-1);
    const isNew = last?.nodeId === node.id;
    const pick = () => choose({ path, to: versions.length, from: versions.length - 1, whole: choice.whole });
    return element(
      "li",
      {},
      button(
        { class: "file", "aria-pressed": path === choice.path ? "true" : "false" },
        pick,
        element("span", { class: "name" }, path),
        element("span", { class: "quiet" }, last?.sha256 === null ? "deleted" : `v${versions.length}`),
        ...(isNew
          ? [element("span", { class: "tag changed" }, last.by === "tool" ? "changed here" : "seen here")]
          : []),
      ),
    );
  });
  return element("ul", { class: "files", "aria-label": "Files known at this turn" }, ...rows);
}

function versionList(
  versions: readonly FileVersion[],
  choice: FileChoice,
  choose: (choice: FileChoice) => void,
): HTMLElement {
  const chips = versions.map(({ version, sha256, by }) =>
    element(
      "li",
      {},
      button(
        {
          class: "version",
          "aria-pressed": version === choice.to ? "true" : "false",
          title: `${by === "tool" ? "Written by a tool" : "Seen"}: ${sha256 ?? "no file"}`,
        },
        () => choose({ ...choice, to: version, from: version - 1 }),
        `v${version} `,
        element("code", {}, sha256 === null ? (version === 1 ? "not there" : "deleted") : sha256.slice(0, 7)),
      ),
    ),
  );
  return element(
    "ol",
    { class: "versions", "aria-label": "Versions of this file on the way here" },
    ...chips,
  );
}

function comparison(
  session: SessionView,
  node: TurnNode,
  versions: readonly FileVersion[],
  choice: FileChoice,
  choose: (choice: FileChoice) => void,
): readonly Child[] {
  const to = versions[choice.to - 1];
  const from = versions[choice.from - 1];
  if (to === undefined) return [];
  const after = session.text(to.sha256);
  if (after === undefined) return missing(session, to);
  const toggle = button(
    { class: "link", "aria-pressed": choice.whole ? "true" : "false" },
    () => choose({ ...choice, whole: !choice.whole }),
    choice.whole ? "Show what changed" : "Show the whole file",
  );
  if (choice.whole) return [toggle, wholeFile(session, node, choice.path, to, after)];
  const before = from === undefined ? undefined : session.text(from.sha256);
  if (from === undefined || before === undefined) {
    const why =
      from === undefined
        ? "Its first version here."
        : "The bytes of the version before are not in this page.";
    return [toggle, element("p", { class: "quiet" }, why), wholeFile(session, node, choice.path, to, after)];
  }
  return [toggle, diffView(before, after, from, to)];
}

/** What the model was shown of a state is known also where its bytes are not. */
function missing(session: SessionView, { sha256 }: FileVersion): readonly Child[] {
  const lines = [...session.shownLines(sha256 ?? "")];
  const known =
    lines.length === 0 ? "" : ` These ${counted(lines.length, "line")} of it were shown to the model.`;
  const said = `The bytes of ${shortHash(sha256)} are not in this page: they were no longer kept when it was made.${known}`;
  if (lines.length === 0) return [element("p", { class: "quiet" }, said)];
  const rows: HTMLElement[] = [];
  for (const [at, [number, text]] of lines.slice(0, mostRows).entries()) {
    const skipped = number - (lines[at - 1]?.[0] ?? 0) - 1;
    if (skipped > 0) rows.push(gap(`${counted(skipped, "line")} not shown`));
    rows.push(wholeLine(number, " ", text, false));
  }
  const label = "The lines that were shown";
  return [
    element("p", { class: "quiet" }, said),
    element("div", { class: "diff whole", role: "group", "aria-label": label, tabindex: 0 }, ...rows),
  ];
}

function wholeLine(number: number, sign: string, text: string, isSeen: boolean): HTMLElement {
  return element(
    "div",
    { class: `line${isSeen ? " seen" : ""}` },
    element("span", { class: "number", "aria-hidden": "true" }, `${number}`),
    element("span", { class: "sign" }, sign),
    element("span", { class: "text" }, text),
  );
}

function diffView(before: string, after: string, from: FileVersion, to: FileVersion): HTMLElement {
  const [old, now] = [linesOf(before), linesOf(after)];
  const changes = diffTexts(before, after, longestDiffMs);
  const added = changes.reduce((sum, { newFrom, newTo }) => sum + newTo - newFrom, 0);
  const removed = changes.reduce((sum, { oldFrom, oldTo }) => sum + oldTo - oldFrom, 0);
  const rows: HTMLElement[] = [];
  for (const [at, change] of changes.entries()) {
    const last = changes[at - 1];
    rows.push(
      ...above(old, now, change, last),
      ...changed(old, now, change),
      ...below(old, now, change, changes[at + 1]),
    );
    if (rows.length > mostRows) break;
  }
  if (rows.length > mostRows)
    rows.splice(mostRows, rows.length, gap("More lines changed than are shown here."));
  if (changes.length === 0) rows.push(gap("Nothing changed."));
  const title = `v${from.version} → v${to.version}: ${counted(added, "line")} added, ${counted(removed, "line")} removed`;
  return element(
    "div",
    {},
    element("p", { class: "stat" }, title),
    element("div", { class: "diff", role: "group", "aria-label": title, tabindex: 0 }, ...rows),
  );
}

const longestDiffMs = 500;
const mostRows = 2_000;
const around = 3;

/** The lines above a change that the change before does not show. */
function above(
  old: readonly string[],
  now: readonly string[],
  change: LineChange,
  last: LineChange | undefined,
): readonly HTMLElement[] {
  const shownTo = last === undefined ? 0 : Math.min(last.newTo + around, change.newFrom);
  const from = Math.max(shownTo, change.newFrom - around);
  const skipped = from - shownTo;
  const rows = skipped > 0 ? [gap(`${counted(skipped, "line")} alike`)] : [];
  for (let at = from; at < change.newFrom; at += 1)
    rows.push(row("same", at + 1 + change.oldFrom - change.newFrom, at + 1, now[at] ?? old[at] ?? ""));
  return rows;
}

function changed(old: readonly string[], now: readonly string[], change: LineChange): readonly HTMLElement[] {
  const rows: HTMLElement[] = [];
  for (let at = change.oldFrom; at < change.oldTo; at += 1)
    rows.push(row("removed", at + 1, undefined, old[at] ?? ""));
  for (let at = change.newFrom; at < change.newTo; at += 1)
    rows.push(row("added", undefined, at + 1, now[at] ?? ""));
  return rows;
}

function below(
  old: readonly string[],
  now: readonly string[],
  change: LineChange,
  next: LineChange | undefined,
): readonly HTMLElement[] {
  const to = Math.min(change.newTo + around, next?.newFrom ?? now.length);
  const rows: HTMLElement[] = [];
  for (let at = change.newTo; at < to; at += 1)
    rows.push(row("same", at + 1 + change.oldTo - change.newTo, at + 1, now[at] ?? old[at] ?? ""));
  if (next === undefined && to < now.length) rows.push(gap(`${counted(now.length - to, "line")} alike`));
  return rows;
}

const signs = { same: " ", added: "+", removed: "−" } as const;

function row(
  kind: keyof typeof signs,
  old: number | undefined,
  now: number | undefined,
  text: string,
): HTMLElement {
  return element(
    "div",
    { class: `line ${kind}` },
    element("span", { class: "number", "aria-hidden": "true" }, old === undefined ? "" : `${old}`),
    element("span", { class: "number", "aria-hidden": "true" }, now === undefined ? "" : `${now}`),
    element("span", { class: "sign" }, signs[kind]),
    element("span", { class: "text" }, text),
  );
}

function gap(text: string): HTMLElement {
  return element("div", { class: "gap" }, `⋯ ${text}`);
}

/** The file with a mark at each line that stands in the prompt of this moment. */
function wholeFile(
  session: SessionView,
  node: TurnNode,
  path: string,
  { sha256 }: FileVersion,
  text: string,
): HTMLElement {
  if (sha256 === null) return element("p", { class: "quiet" }, "There is no such file any more.");
  const { rendering } = session.seen(node);
  const shown = rendering.visibility.states().find((state) => state.path === path && state.sha256 === sha256);
  const isSeen = (line: number) => shown?.lines.some(({ from, to }) => from <= line && line <= to) === true;
  const said =
    shown === undefined
      ? "No line of it stands in the prompt."
      : `In the prompt: lines ${intervals(shown.lines)}.`;
  const lines = linesOf(text);
  const rows: HTMLElement[] = lines
    .slice(0, mostRows)
    .map((line, at) => wholeLine(at + 1, isSeen(at + 1) ? "●" : " ", line, isSeen(at + 1)));
  if (lines.length > mostRows) rows.push(gap(`${counted(lines.length - mostRows, "line")} more`));
  return element(
    "div",
    {},
    element("p", { class: "stat" }, said),
    element(
      "div",
      { class: "diff whole", role: "group", "aria-label": `The file ${path}`, tabindex: 0 },
      ...rows,
    ),
  );
}

function linesOf(text: string): readonly string[] {
  const { contents } = splitLines(text);
  return contents.at(-1) === "" ? contents.slice(0, -1) : contents;
}
