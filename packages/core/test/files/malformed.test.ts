import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Workspace } from "../../src/files/index.js";
import { type FileRequest, isRefusal } from "../../src/files/values/index.js";
import { runTool, tools } from "../../src/tools/index.js";
import { sha as hashOf, memoryWith } from "../support.js";

const sha = hashOf("one\n");

async function open() {
  const ports = memoryWith();
  const workspace = new Workspace(ports);
  await workspace.write({ path: "f", content: "one\n" });
  return workspace;
}

/** `HOLDFAST_RUNS` for a long run. */
const numRuns = Number(process.env.HOLDFAST_RUNS ?? 20);

/** One good request of each kind. */
const good: Readonly<Record<FileRequest["kind"], FileRequest>> = {
  read: { kind: "read", path: "f", offset: 1, limit: 1, encoding: "utf-8", within: "" },
  read_many: { kind: "read_many", paths: ["f"], globs: ["*"], exclude: ["g"], encoding: "utf-8" },
  list: { kind: "list", path: ".", depth: 1, limit: 1, all: true },
  find: { kind: "find", glob: "*", path: ".", exclude: ["g"], limit: 1, all: true },
  search: {
    kind: "search",
    pattern: "o",
    literal: true,
    ignoreCase: true,
    path: ".",
    globs: ["*"],
    context: 1,
  },
  patch: { kind: "patch", path: "f", diff: "@@\n-one\n+two\n", base: sha },
  write: { kind: "write", path: "f", content: "x", base: sha },
  edit: {
    kind: "edit",
    path: "f",
    edits: [{ oldString: "one", newString: "two", replaceAll: true }],
    atomic: true,
  },
  append: { kind: "append", path: "f", content: "x", base: sha },
  prepend: { kind: "prepend", path: "f", content: "x", base: sha },
  edit_lines: { kind: "edit_lines", path: "f", edits: [{ from: 1, to: 1, content: "x" }], base: sha },
  insert_lines: { kind: "insert_lines", path: "f", afterLine: 1, content: "x", base: sha },
  update_section: { kind: "update_section", path: "f", sectionHeader: "# a", newContent: "b", create: true },
  replace: { kind: "replace", path: "f", oldString: "one", newString: "two", expectedReplacements: 1 },
  apply_edit: { kind: "apply_edit", path: "f", instructions: "a", codeEdit: "b", base: sha },
  undo: { kind: "undo", path: "f", base: sha },
  restore: { kind: "restore", path: "f", sha256: sha },
  apply_changes: {
    kind: "apply_changes",
    changes: [{ path: "f", base: sha, content: { kind: "text", text: "x" } }],
  },
};
const kinds = Object.keys(good);
const isKind = (kind: string): kind is FileRequest["kind"] => Object.hasOwn(good, kind);

/** What no compiler lets through. A cast: that is the point. */
const run = (workspace: Workspace, request: unknown) => workspace.run(request as FileRequest);

describe("a request that no compiler has checked", () => {
  it.each(kinds)("of kind %s without its fields is invalid_arguments", async (kind) => {
    const outcome = await run(await open(), { kind });
    if (kind === "list" || kind === "read_many") expect(isRefusal(outcome)).toBe(false);
    else expect(isRefusal(outcome) && outcome.code).toBe("invalid_arguments");
  });

  it("is refused, never thrown at, whatever one field of it is", async () => {
    const wrong = fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true });
    const given = fc.constantFrom(...kinds).chain((kind) => {
      const fields = isKind(kind) ? Object.keys(good[kind]) : [];
      return fc.tuple(fc.constant(kind), fc.constantFrom(...fields), wrong);
    });
    await fc.assert(
      fc.asyncProperty(given, async ([kind, field, value]) => {
        const workspace = await open();
        const request = { ...(isKind(kind) ? good[kind] : {}), [field]: value };
        for (const answer of [await run(workspace, request), await preview(workspace, request)])
          expect(answer).toHaveProperty("kind");
      }),
      { numRuns: 5 * numRuns },
    );
  });

  it("is refused, never thrown at, whatever it is at all, and leaves the file alone", async () => {
    const change = fc.record(
      { path: fc.constantFrom("f", 1), content: fc.anything(), base: fc.anything(), renameTo: fc.anything() },
      { requiredKeys: [] },
    );
    const request = fc.oneof(
      fc.anything(),
      fc.record({ kind: fc.oneof(fc.constantFrom(...kinds), fc.anything()) }),
      fc.record({ kind: fc.constant("apply_changes"), changes: fc.array(fc.oneof(change, fc.anything())) }),
      fc.record({ kind: fc.constant("edit"), path: fc.constant("f"), edits: fc.array(fc.anything()) }),
    );
    await fc.assert(
      fc.asyncProperty(request, async (value) => {
        const workspace = await open();
        const outcome = await run(workspace, value);
        expect(outcome).toHaveProperty("kind");
        const [state] = await workspace.fileStates(["f"]);
        expect(state).toMatchObject({ sha256: sha });
      }),
      { numRuns: 5 * numRuns },
    );
  });
});

function preview(workspace: Workspace, request: unknown) {
  // A cast, as in `run`; a look is none of the requests that can be previewed.
  const { kind } = request as { readonly kind?: unknown };
  const looks: readonly unknown[] = ["read", "read_many", "list", "find", "search"];
  return looks.includes(kind) ? run(workspace, request) : workspace.preview(request as never);
}

/** No door: made by `new`, private, or without an answer. */
const hidden: ReadonlySet<string> = new Set([
  "constructor",
  "roots",
  "countOn",
  "letGo",
  "asCall",
  "arriving",
  "knowledgeOf",
  "obtain",
  "look",
  "readFile",
  "listEntries",
  "changeFile",
  "setToUndo",
  "previewWith",
  "changeWith",
  "withFound",
]);

/** What comes where nobody looked: odd numbers, odd names, and whatever else there is. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    0.5,
    2 ** 53,
    1e308,
    -0,
    10n,
    null,
    undefined,
  ),
  fc.constantFrom<unknown>(
    "__proto__",
    "constructor",
    "toString",
    "",
    "\ud800",
    "a\u0000b",
    Symbol("s"),
    () => "x",
  ),
  fc.constantFrom<unknown>(
    JSON.parse('{"__proto__":{"path":"f"}}'),
    Object.create(null),
    [],
    [null],
    new Date(Number.NaN),
  ),
  fc.anything(),
);

describe("every public method of the workspace", () => {
  const names = Object.getOwnPropertyNames(Workspace.prototype).filter((name) => !hidden.has(name));

  it.each(names)("%s answers what is malformed, and never throws", async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.array(odd, { maxLength: 2 }), odd, async (given, field) => {
        const workspace = await open();
        // A cast: what no compiler lets through is the point.
        const method = Reflect.get(workspace, name) as (...given: readonly unknown[]) => Promise<unknown>;
        for (const one of [given, [{ path: field, base: field, kind: field }], [[field], [field]]])
          await expect(Promise.resolve(method.apply(workspace, [...one]))).resolves.toBeDefined();
        expect(await workspace.fileStates(["f"])).toMatchObject([{ sha256: sha }]);
      }),
      { numRuns },
    );
  });
});

describe("every tool", () => {
  const all = tools.map((tool) => [tool.name, Object.keys(tool.parameters.shape)] as const);

  it.each(all)(
    "%s answers malformed arguments by a refusal of the list, never by an internal error",
    async (name, keys) => {
      const args = fc.oneof(odd, fc.dictionary(fc.constantFrom(...keys, "__proto__"), odd));
      await fc.assert(
        fc.asyncProperty(args, async (given) => {
          const failed: unknown[] = [];
          const workspace = await open();
          const context = { workspace, onError: (error: unknown) => void failed.push(error) };
          const { code } = await runTool(name, given, context);
          expect([code, failed]).toEqual([code, []]);
          expect(code).not.toBe("internal_error");
        }),
        { numRuns },
      );
    },
  );
});
