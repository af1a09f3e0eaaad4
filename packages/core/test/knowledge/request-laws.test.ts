import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Workspace, type WorkspacePorts } from "../../src/files/index.js";
import {
  type ChangeRequest,
  type FileOutcome,
  type FileRequest,
  isRefusal,
} from "../../src/files/values/index.js";
import { memoryWith, sha } from "../support.js";
import { abortAfter, CountingSignal } from "./counting-signal.js";
import { beginnings, change, names, request } from "./requests.js";

/** `HOLDFAST_RUNS=5000` for a long run. */
const runs = Number(process.env.HOLDFAST_RUNS ?? 40);

/** A workspace of which everything that it keeps can be looked at. */
function ground() {
  const blobs = new Map<string, Uint8Array>();
  let ids = 0;
  const newId = () => `${ids++}`;
  const memory = memoryWith({}, newId);
  const ports: WorkspacePorts = {
    ...memory,
    blobs: {
      ...memory.blobs,
      put: (sha256, bytes, care) => {
        blobs.set(sha256, bytes);
        return memory.blobs.put(sha256, bytes, care);
      },
    },
  };
  for (const [path, text] of Object.entries(beginnings)) memory.disk.poke(path, Buffer.from(text));
  const workspace = new Workspace(ports, { session: randomUUID() });
  const files = () => names.map((path) => Buffer.from(memory.disk.peek(path) ?? "-").toString());
  const snapshot = async () => {
    const knowledge = workspace.begin();
    const known = names.map((path) => {
      const file = { path, realPath: `/workspace/${path}` };
      return knowledge.states(file).map((sha256) => knowledge.find(file, sha256));
    });
    const latest = names.map((path) => knowledge.latest({ path, realPath: `/workspace/${path}` }));
    knowledge.end([]);
    const history = await Promise.all(names.map((path) => ports.history.entries(`/workspace/${path}`)));
    return JSON.stringify([files(), known, latest, history, [...blobs.keys()]]);
  };
  return { workspace, disk: memory.disk, files, snapshot };
}

async function runAll(workspace: Workspace, requests: readonly FileRequest[]): Promise<void> {
  for (const one of requests) await workspace.run(one);
}

/** What of an outcome does not depend on versions, ids and times. */
function essence(outcome: FileOutcome): unknown {
  if (outcome.kind === "read") return [outcome.state.path, outcome.state.content];
  if (outcome.kind === "read_many") return outcome.files.map(essence);
  return "code" in outcome ? outcome.code : outcome.kind;
}

describe("requests that are sent together", () => {
  it("end in the state, and in the answers, of the same ones sent one after the other", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 10 }), async (requests) => {
        const [together, alone] = [ground(), ground()];
        const answers = await Promise.all(requests.map((one) => together.workspace.run(one)));
        const single: FileOutcome[] = [];
        for (const one of requests) single.push(await alone.workspace.run(one));
        expect(together.files()).toEqual(alone.files());
        expect(answers.map(essence)).toEqual(single.map(essence));
      }),
      { numRuns: runs },
    );
  });

  it("do not wait for a search that takes long", async () => {
    const memory = memoryWith();
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const { roots, realRoots } = memory.disk;
    // The search comes first; a new file looks for names beside it.
    let isSearch = true;
    const enter: typeof memory.disk.enter = async (path, missing) => {
      if (path === "" && isSearch) {
        isSearch = false;
        await gate;
      }
      return memory.disk.enter(path, missing);
    };
    const workspace = new Workspace({ ...memory, disk: { roots, realRoots, enter } });
    const searching = workspace.search({ pattern: "1" });
    expect((await workspace.append({ path: "a.txt", content: "1\n" })).code).toBe("applied");
    expect(isSearch).toBe(false);
    goOn();
    expect((await searching).kind).toBe("searched");
  });
});

describe("a preview", () => {
  it("changes nothing, and binds the step to what it showed", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { maxLength: 6 }),
        change,
        change,
        async (before, wanted, between) => {
          const scene = ground();
          await runAll(scene.workspace, before);
          const snapshot = await scene.snapshot();
          const preview = await scene.workspace.preview(wanted);
          expect(await scene.snapshot()).toBe(snapshot);
          if (preview.kind !== "preview") return;
          const agreed = preview.files.map((file) => file.agreed);
          const files = scene.files();
          const other = await scene.workspace.run(between);
          const moved = scene.files();
          const outcome = await scene.workspace.run(wanted, { agreed });
          const after = scene.files();
          if (JSON.stringify(moved) === JSON.stringify(files) && isRefusal(other)) {
            expect(outcome.kind).toMatch(/written|change_set/);
            for (const { realPath, after: wantedHash } of agreed) {
              const at = names.findIndex((name) => realPath === `/workspace/${name}`);
              expect(after[at]).toBe(wantedHash === null ? "-" : after[at]);
              if (wantedHash !== null) expect(sha(after[at] ?? "")).toBe(wantedHash);
            }
          } else if (isRefusal(outcome)) expect(after).toEqual(moved);
          else if (JSON.stringify(after) !== JSON.stringify(moved)) holdAgreed(agreed, after);
        },
      ),
      { numRuns: runs },
    );
  });
});

function holdAgreed(
  agreed: readonly { readonly realPath: string; readonly after: string | null }[],
  files: readonly string[],
) {
  for (const { realPath, after } of agreed) {
    const text = files[names.findIndex((name) => realPath === `/workspace/${name}`)] ?? "";
    expect(after === null ? text === "-" : sha(text) === after).toBe(true);
  }
}

describe("a request that is cancelled at any moment", () => {
  const requests: readonly ChangeRequest[] = [
    { kind: "edit", path: "a.txt", atomic: true, edits: [{ oldString: "a1", newString: "x" }] },
    { kind: "append", path: "new/c.txt", content: "c\n" },
    { kind: "write", path: "d.txt", content: "d\n" },
    { kind: "undo", path: "b.txt" },
    {
      kind: "apply_changes",
      changes: [
        { path: "a.txt", base: sha("a1\na2\na3\n"), content: { kind: "delete" } },
        { path: "new/c.txt", content: { kind: "text", text: "c\n" } },
      ],
    },
  ];
  it.each(requests)("is made as a whole or not at all, and blocks nobody: $kind", async (wanted) => {
    const codes = new Set<string>();
    for (let checks = 0; checks < 40; checks++) {
      const scene = ground();
      await scene.workspace.append({ path: "b.txt", content: "b4\n" });
      const before = await scene.snapshot();
      const whole = ground();
      await whole.workspace.append({ path: "b.txt", content: "b4\n" });
      await whole.workspace.run(wanted);
      const outcome = await scene.workspace.run(wanted, { signal: abortAfter(checks) });
      codes.add(outcome.code);
      if (isRefusal(outcome)) {
        expect(outcome.code).toBe("cancelled");
        expect(JSON.parse(await scene.snapshot())[0]).toEqual(JSON.parse(before)[0]);
        expect(JSON.parse(await scene.snapshot())[3]).toEqual(JSON.parse(before)[3]);
      } else expect(scene.files()).toEqual(whole.files());
      const next = await scene.workspace.append({ path: "b.txt", content: "on\n" });
      expect(next.code).toBe("applied");
    }
    expect([...codes].sort()).toEqual(["applied", "cancelled"]);
    expect(new CountingSignal(0).aborted).toBe(true);
  });
});
