import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type ChangeRequest, isRefusal } from "../../../src/files/values/index.js";
import { openWorkspace } from "../../../src/node/index.js";
import { abortAfter } from "../../knowledge/counting-signal.js";
import { sha } from "../../support.js";

const old = "one\ntwo\n";

/** A workspace on real files, with what lies in its folders. */
async function ground() {
  const top = mkdtempSync(join(tmpdir(), "holdfast-cancel-"));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const [root, stateDir] = [join(top, "root"), join(top, "state")];
  mkdirSync(root);
  writeFileSync(join(root, "f.txt"), old);
  const workspace = await openWorkspace({ roots: [root], stateDir });
  if (isRefusal(workspace)) throw new Error(workspace.message);
  onTestFinished(() => workspace.close());
  const files = () =>
    Object.fromEntries(readdirSync(root).map((name) => [name, readFileSync(join(root, name), "utf8")]));
  /** Traces of writes that were begun and not ended. */
  const open = () =>
    ["intents", "changes"].flatMap((name) => {
      const folder = join(stateDir, name);
      return existsSync(folder) ? readdirSync(folder) : [];
    });
  return { workspace, files, open };
}

const edits = [{ oldString: "two", newString: "2" }];
const requests: readonly (readonly [string, ChangeRequest])[] = [
  ["an edit", { kind: "edit", path: "f.txt", atomic: true, edits }],
  ["an edit in place", { kind: "edit", path: "f.txt", atomic: true, edits, inPlace: true }],
  ["a new file", { kind: "write", path: "g.txt", content: "new\n" }],
  [
    "a change set",
    {
      kind: "apply_changes",
      changes: [
        { path: "f.txt", base: sha(old), content: { kind: "delete" } },
        { path: "g.txt", content: { kind: "text", text: "new\n" } },
      ],
    },
  ],
];

it.each(requests)(
  "%s that is cancelled at any moment is made, or leaves nothing on the disk",
  async (_, request) => {
    const codes: string[] = [];
    for (let checks = 0; checks < 12; checks++) {
      const { workspace, files, open } = await ground();
      const outcome = await workspace.run(request, { signal: abortAfter(checks) });
      codes.push(outcome.code);
      expect(open()).toEqual([]);
      if (isRefusal(outcome)) expect(files()).toEqual({ "f.txt": old });
      else expect(files()).not.toEqual({ "f.txt": old });
      expect((await workspace.append({ path: "h.txt", content: "on\n" })).code).toBe("applied");
    }
    const first = codes.indexOf("applied");
    expect(codes.slice(0, first).every((code) => code === "cancelled")).toBe(true);
    expect(codes.slice(first).every((code) => code === "applied")).toBe(true);
    // The last question is asked with the new bytes staged.
    expect(first).toBeGreaterThan(3);
  },
);
