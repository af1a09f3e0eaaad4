import { type FileDiff, isExecutable, splitByFile, splitByFileInTurns } from "../../patch/index.js";
import { clip, defined } from "../../text/index.js";
import { plainPath } from "../access/path-names.js";
import type { Session } from "../access/session.js";
import { emptySha256, type GivenBase } from "../values/base.js";
import { bareName } from "../values/path-policy.js";
import { fromPatch, type Refusal, refuse, refuseIn } from "../values/refusal.js";
import { type ApplyChangesRequest, type Asked, byteEncoding, type FileChange } from "../values/requests.js";

type SetDiff = Extract<Asked<ApplyChangesRequest>, { readonly diff: string }>;

/** A diff that names its files, as changes. */
export async function changesOf(
  { diff, bases = {}, otherBase, isBytes = false, ...rest }: SetDiff,
  session: Session,
): Promise<{ readonly changes: readonly FileChange[]; readonly leftOut: string | undefined } | Refusal> {
  const { nextTurn } = session.ports;
  const { patchMs } = session.limits;
  const split =
    nextTurn === undefined
      ? splitByFile(diff, patchMs, rest.strip)
      : await splitByFileInTurns(diff, nextTurn, patchMs, rest.strip);
  if (split.kind === "refusal") return fromPatch(split);
  const files = isBytes ? split.files.map(withTextNames) : split.files;
  const known = new Map(Object.entries(bases).map(([path, base]) => [bareName(path), base] as const));
  const names = files.flatMap(({ path, to = path }) => [path, to]);
  const stray = [...known.keys()].find((path) => !names.some((name) => bareName(name) === path));
  if (stray !== undefined) return refuseStray(stray, files);
  const modes = files.flatMap(({ path, mode }) => (mode === undefined ? [] : [{ path, mode }]));
  const [first] = modes;
  if (first !== undefined && rest.modes === undefined)
    return refuseIn(
      "invalid_diff",
      "Invalid Diff: It gives $name the mode $mode. Nothing was changed.[ Say with {modes} whether modes of files that exist change.]",
      { name: JSON.stringify(clip(first.path, 200)), mode: first.mode },
    );
  const keepsModes = rest.modes === "keep";
  // In a diff of git a name is the file's own, whatever it looks like.
  const isByGit = /^diff --git /m.test(diff);
  for (const name of isByGit ? [] : names) {
    const plain = await plainPath(session, diff.includes(`./${name}`) ? `./${name}` : name);
    if (plain.kind === "refusal") return plain;
  }
  const encoding = isBytes ? byteEncoding : rest.encoding;
  const meant = files.filter((file) => !keepsModes || file.diff !== "" || file.action !== "update");
  const changes = meant.map((file) => ({
    ...changeOf(file, known.get(bareName(file.path)) ?? (file.action === "create" ? emptySha256 : otherBase)),
    ...defined({ encoding }),
    ...(file.mode === undefined || keepsModes ? {} : { isExecutable: isExecutable(file.mode) }),
  }));
  const kept = keepsModes ? modes.map(({ path, mode }) => `the mode ${mode} of ${clip(path, 200)}`) : [];
  const leftOut = [...(split.leftOut === undefined ? [] : [split.leftOut]), ...kept].join(", ");
  return { changes, leftOut: leftOut === "" ? undefined : leftOut };
}

/** The names of a diff whose characters are bytes: names are UTF-8. */
function withTextNames({ path, to, ...file }: FileDiff): FileDiff {
  const text = (name: string) => new TextDecoder().decode(Uint8Array.from(name, (one) => one.charCodeAt(0)));
  return { ...file, path: text(path), ...(to === undefined ? {} : { to: text(to) }) };
}

/** A base for a file that the diff does not change is a mistyped path, and the file that was meant would go without. */
function refuseStray(path: string, files: readonly FileDiff[]): Refusal {
  const shown = files.slice(0, 10).map((file) => JSON.stringify(file.path));
  if (files.length > 10) shown.push("…");
  return refuse(
    "invalid_arguments",
    `A base names ${JSON.stringify(path)}, which the diff does not change. It changes ${shown.join(", ")}. Nothing was written.`,
  );
}

function changeOf(file: FileDiff, base: GivenBase | undefined): FileChange {
  const { path, action, to, diff, isLink, blob } = file;
  const based: Omit<FileChange, "content"> = {
    path,
    ...defined({ isLink }),
    ...(base === undefined ? {} : { base }),
  };
  const lines = diff === "" ? ({ kind: "same" } as const) : ({ kind: "diff", diff } as const);
  if (action === "delete")
    return { ...based, content: { kind: "delete", ...defined({ blob }), ...(diff === "" ? {} : { diff }) } };
  return { ...based, content: lines, ...defined({ renameTo: to }) };
}
