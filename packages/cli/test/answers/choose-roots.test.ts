import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openWorkspace } from "@holdfast/core/node";
import { describe, expect, test } from "vitest";
import { chooseRoots } from "../../src/answers/choose-roots.js";
import { Project } from "../process.js";

const project = new Project({ "sub/a.txt": "below\n" });
const [top, sub] = [project.folder, join(project.folder, "sub")];
const other = new Project().folder;
const stateDir = join(other, "state");

/** The roots that a server gets, and the sentences about those that are left out. */
function chosen(given: readonly string[] | undefined, uris: readonly string[] | undefined) {
  const told: string[] = [];
  const choice = chooseRoots(given, uris, (sentence) => told.push(sentence));
  return { choice, told };
}

const uriOf = (folder: string) => pathToFileURL(folder).href;

describe("the roots of a server", () => {
  const cases = [
    ["the client's where there is no --root", undefined, [uriOf(sub), uriOf(other)], [sub, other], ""],
    [
      "those of the client that are folders",
      undefined,
      [uriOf(sub), "http://x/"],
      [sub],
      "root http://x/ is no folder of",
    ],
    ["the folder of the server where the client names none", undefined, undefined, [process.cwd()], ""],
    ["those of --root where the client names none", [top], undefined, [top], ""],
    ["narrowed by the client", [top], [uriOf(sub), uriOf(other)], [sub], ""],
    ["not widened by the client", [sub], [uriOf(top)], [sub], ""],
    ["not widened to the disk", [top], [uriOf("/")], [top], ""],
    [
      "those of --root where the client's lie elsewhere",
      [top],
      [uriOf(other)],
      [top],
      "those of --root count",
    ],
    [
      "without a missing one",
      [join(top, "gone"), top],
      undefined,
      [top],
      "gone does not exist and is left out",
    ],
  ] as const;
  test.each(cases)("are %s", (_, given, uris, roots, sentence) => {
    const { choice, told } = chosen(given, uris);
    expect(choice).toEqual({ kind: "roots", roots });
    expect(told.join()).toContain(sentence);
  });

  const strange = [
    "file://host/x",
    "file:///%zz",
    "file:///a%2Fb",
    "file:///a%00b",
    "file:",
    "file:///",
    "FILE:///no/such/folder",
    "file:///no such/folder",
    "/not/a/uri",
    "\\\\host\\share",
    "javascript:1",
    "",
    `file:///${"x".repeat(70_000)}`,
  ];
  test.each(strange)("are none where the client names %j, and those of --root stay", async (uri) => {
    const { choice } = chosen(undefined, [uri]);
    const refused = choice.kind === "roots" ? await openWorkspace({ roots: choice.roots, stateDir }) : choice;
    expect(refused).toMatchObject({ kind: "refusal", message: expect.stringMatching(/^[A-Z].*\./) });
    expect(chosen([top], [uri]).choice).toEqual({ kind: "roots", roots: [top] });
  });

  test.each([
    ["", "invalid_arguments"],
    ["/", "invalid_arguments"],
    ["a\0b", "file_missing"],
  ])("%j is refused by the library, too, unless it is told", async (root, code) => {
    expect(await openWorkspace({ roots: [root], stateDir })).toMatchObject({ kind: "refusal", code });
    if (root !== "/") return;
    const opened = await openWorkspace({ roots: [root], stateDir, allowWideRoot: true });
    if (opened.kind === "refusal") throw new Error(opened.message);
    await opened.close();
  });
});
