import { describe, expect, test } from "vitest";
import type { WireForm } from "../../src/tools/index.js";
import { tools } from "../../src/tools/index.js";
import { type Call, openSession } from "../reproductions/scene.js";
import { ground, sha } from "../support.js";
import { refusedCalls, tenLines } from "./refused-calls.js";

/**
 * No answer shows lines of a secret that its caller did not ask to read. Each call that is known to be refused is made
 * on a file whose every second line is one that no call names.
 */
const word = "hunter";
const twice = `same\nA=${word}\nsame\nA=${word}\n`;
const secret = tenLines.replaceAll(/line (\d+)\n/g, `line $1\nKEY_$1=${word}$1\n`) + twice;
const other = secret.replace("line 5", "line five");
const forms: readonly { readonly wire: WireForm; readonly resultContent: "auto" | "full" }[] = [
  { wire: "text", resultContent: "auto" },
  { wire: "json", resultContent: "full" },
];

/** The call on the secret, with the hash of its present state in the place of the one that is known there. */
function onSecret(call: Call, path: string, hash = sha(secret)): Call {
  const text = JSON.stringify(call)
    .replaceAll(/"(\/memories\/)?f\.md"/g, (_, memory = "") =>
      JSON.stringify(memory === "" ? path : `${memory}${path}`),
    )
    .replaceAll(sha(tenLines), hash);
  return JSON.parse(text) as Call;
}

const looks = new Set(["read_file", "read_many_files", "search_files", "view"]);
const isLook = ([tool, args]: Call) => looks.has(tool) || looks.has(String(args.command));
const changes = refusedCalls.map(({ call }) => call).filter((call) => !isLook(call));

/** Calls that are ambiguous there, and calls that fit, on a state that nobody was shown: their answers show no neighbours either. */
const fitting: readonly Call[] = [
  ["safe_patch", { file_path: "f.md", unified_diff: "@@\n-same\n+x\n", base_content_sha256: sha(tenLines) }],
  ["append_to_file", { file_path: "f.md", content: "x\n" }],
  ["prepend_to_file", { file_path: "f.md", content: "x\n" }],
  ["insert_lines", { file_path: "f.md", after_line: 3, content: "x", base_content_sha256: sha(tenLines) }],
  [
    "edit_file",
    {
      file_path: "f.md",
      edits: [{ old_string: "line 2\n", new_string: "x\n" }],
      base_content_sha256: sha(tenLines),
    },
  ],
  [
    "safe_patch",
    { file_path: "f.md", unified_diff: "@@ -3 +3 @@\n-line 2\n+x\n", base_content_sha256: sha(tenLines) },
  ],
  [
    "safe_patch",
    {
      file_path: "f.md",
      unified_diff: "@@ -1,5 +1,5 @@\n line 1\n made up\n-line 2\n+x\n made up, too\n line 3\n",
      base_content_sha256: sha(tenLines),
    },
  ],
  ["undo_edit", { file_path: "f.md" }],
  ["delete_file", { file_path: "f.md", base_content_sha256: sha(tenLines) }],
  ["move_file", { file_path: "f.md", to: "moved.txt", base_content_sha256: sha(tenLines) }],
];

describe.each([".aws/f.md"])("of a secret (%s) that was not read", (path) => {
  test.each(forms)("no call shows a line ($wire, $resultContent)", async (form) => {
    const seen = new Set<string>();
    for (const call of [...changes, ...fitting]) {
      for (const guard of ["read", "atomic"] as const) {
        for (const hash of guard === "read" ? [sha(secret), sha("never"), "short"] : [sha(secret)]) {
          const files = { [path]: secret, [`memories/${path}`]: secret };
          const session = openSession({ ...form, files, guards: { editGuard: guard } });
          const { code, text } = await session.call(...onSecret(call, path, hash));
          seen.add(code);
          expect(text, JSON.stringify(call)).not.toContain(word);
        }
      }
    }
    const wanted = [
      "invalid_diff",
      "not_found",
      "ambiguous",
      "missing_base",
      "not_read",
      "unknown_base",
      "invalid_arguments",
      "occurrence_mismatch",
      "applied",
    ];
    for (const code of wanted) expect(seen).toContain(code);
    expect(seen).toContain("section_missing");
  });

  test.each(forms)(
    "nor does a mismatch to one who read an older state ($wire, $resultContent)",
    async (form) => {
      for (const call of [...changes, ...fitting]) {
        const session = openSession({ ...form, files: { [path]: secret } });
        await session.call("read_file", { file_path: path });
        session.put(path, other.replaceAll(word, "fisher"));
        for (const hash of [sha(secret), sha(other.replaceAll(word, "fisher"))]) {
          const { text } = await session.call(...onSecret(call, path, hash));
          expect(text, JSON.stringify(call)).not.toContain("fisher");
        }
      }
    },
  );
});

describe.each([".env"])("of a secret (%s) that was changed since, but never shown", (path) => {
  test.each(forms)("no rebased change quotes a line ($wire, $resultContent)", async (form) => {
    const seen = new Set<string>();
    for (const call of [...changes, ...fitting]) {
      const guards = { onMismatch: "rebase", editGuard: "atomic" } as const;
      const session = openSession({ ...form, files: { [path]: secret }, guards });
      await session.call("append_to_file", { file_path: path, content: "x\n" });
      const { code, text } = await session.call(...onSecret(call, path, sha(secret)));
      if (/[Rr]ebased/.test(text)) seen.add(`${call[0]} ${code}`);
      expect(text, JSON.stringify(call)).not.toContain(word);
    }
    expect([...seen]).toEqual(expect.arrayContaining(["safe_patch applied", "edit_file applied"]));
  });
});

test.each(["rebase-own", "rebase"] as const)(
  "a rebased diff does not tell what of its context stands in a secret of which nothing is shown any more (%s)",
  async (onMismatch) => {
    const file_path = ".env";
    const base_content_sha256 = sha(secret);
    const session = openSession({
      wire: "text",
      resultContent: "none",
      files: { [file_path]: secret },
      guards: { onMismatch },
    });
    await session.call("read_file", { file_path, offset: 1, limit: 1 });
    const edits = [{ old_string: "line 1\n", new_string: "" }];
    expect((await session.call("edit_file", { file_path, edits, base_content_sha256 })).code).toBe("applied");
    const unified_diff = `@@ -12,4 +12,4 @@\n KEY_6=guess\n-line 7\n+x\n KEY_7=${word}7\n line 8\n`;
    const { code, text } = await session.call("safe_patch", { file_path, unified_diff, base_content_sha256 });
    expect(code).toBe("applied");
    expect(text).toContain("Rebased");
    expect(text).not.toContain("not in the file");
    expect(text).not.toContain(word);
  },
);

test("every tool that changes files is called", () => {
  const called = new Set([...changes, ...fitting].map(([tool]) => tool));
  const missing = tools.filter(({ annotations, name }) => !annotations.readOnly && !called.has(name));
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test("who read the secret is shown where a change does not fit, as of any file", async () => {
  const on = await ground({ ".env": secret });
  await on.call("read_file", { file_path: ".env" });
  const patch = { file_path: ".env", unified_diff: "@@ -1 +1 @@\n-line 11\n+x\n" };
  const refused = await on.call("safe_patch", { ...patch, base_content_sha256: sha(secret) });
  expect(refused.code).toBe("invalid_diff");
  expect(refused.message).toContain(word);
});

test("a link with a plain name to a secret is one", async () => {
  const on = await ground({ ".env": secret });
  const { symlinkSync } = await import("node:fs");
  symlinkSync(".env", `${on.root}/plain.txt`);
  for (const args of [{ base_content_sha256: sha(secret) }, { base_content_sha256: sha("never") }, {}]) {
    const patch = { file_path: "plain.txt", unified_diff: "@@ -1 +1 @@\n-line 11\n+x\n" };
    expect(JSON.stringify(await on.call("safe_patch", { ...patch, ...args }))).not.toContain(word);
  }
});
