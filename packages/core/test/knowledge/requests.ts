/** Random requests on a few small files, as a caller without a conversation sends them. */
import fc from "fast-check";
import type { ChangeRequest, FileRequest } from "../../src/files/values/index.js";

export const names = ["a.txt", "b.txt", "new/c.txt"] as const;
export const beginnings = { "a.txt": "a1\na2\na3\n", "b.txt": "b1\nb2\nb3\n" } as const;

const path = fc.constantFrom(...names);
const word = fc.constantFrom("a1", "a2", "b1", "b2", "x", "y", "z");

const edit: fc.Arbitrary<ChangeRequest> = fc
  .record({ path, word, fresh: word })
  .map(({ path, word, fresh }) => ({
    kind: "edit",
    path,
    atomic: true,
    edits: [{ oldString: word, newString: fresh }],
  }));
const append: fc.Arbitrary<ChangeRequest> = fc.record({ path, word }).map(({ path, word }) => ({
  kind: "append",
  path,
  content: `${word}\n`,
}));
const undo: fc.Arbitrary<ChangeRequest> = path.map((path) => ({ kind: "undo", path }));
const set: fc.Arbitrary<ChangeRequest> = fc.record({ word, fresh: word }).map(({ word, fresh }) => ({
  kind: "apply_changes",
  changes: (["a.txt", "b.txt"] as const).map((path) => ({
    path,
    base: currentState,
    content: {
      kind: "edits",
      edits: [{ oldString: `${path.charAt(0)}3`, newString: `${word}${fresh}${path.charAt(0)}3` }],
    },
  })),
}));

import { currentBase as currentState } from "../../src/files/values/index.js";

export const change: fc.Arbitrary<ChangeRequest> = fc.oneof(edit, edit, append, undo, undo, set);

export const request: fc.Arbitrary<FileRequest> = fc.oneof(
  change,
  change,
  change,
  path.map((path): FileRequest => ({ kind: "read", path })),
  fc.constant<FileRequest>({ kind: "read_many", paths: [...names] }),
  fc.constant<FileRequest>({ kind: "search", pattern: "1" }),
);
