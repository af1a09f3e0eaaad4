import { SessionKnowledge } from "../../../src/files/seen/index.js";
import type { RefusalCode } from "../../../src/files/values/index.js";
import {
  type ChangeReport,
  type FileRequest,
  type FileState,
  type Outcomes,
  type ReadOutcome,
  type ReadState,
  refuse,
  type TextFacts,
  type Unchanged,
  type WriteRefusal,
  type Written,
} from "../../../src/files/values/index.js";
import { countLines } from "../../../src/text/index.js";
import type { ToolWorkspace } from "../../../src/tools/index.js";

/** States and workspaces as data, for the tests of what is told about them. */
export const someHash = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9";

export function factsOf(content: string, unusual: Partial<TextFacts> = {}): TextFacts {
  return {
    encoding: "utf-8",
    bom: false,
    guessed: false,
    endings: endingsOf(content),
    totalLines: countLines(content),
    finalNewline: /[\n\r]$/.test(content),
    totalBytes: new TextEncoder().encode(content).length,
    ...unusual,
  };
}

function endingsOf(content: string): TextFacts["endings"] {
  const [kind, other] = new Set(content.match(/\r?\n/g));
  if (kind === undefined) return "none";
  return other !== undefined ? "mixed" : kind === "\n" ? "lf" : "crlf";
}

export function stateOf(content: string, more: Partial<ReadState> = {}): ReadState {
  return { path: "src/a.ts", version: 3, sha256: someHash, content, facts: factsOf(content), ...more };
}

export const missingState: FileState = { path: "gone.ts", version: 4, sha256: null, content: null };

export function readOf(content: string, more: Partial<ReadState> = {}): ReadOutcome {
  return { kind: "read", state: stateOf(content, more) };
}

/** A report of what changed where; nothing unless told. */
export function reportOf(more: Partial<ChangeReport> = {}): ChangeReport {
  return {
    landed: [],
    repairs: [],
    changes: [],
    authored: [],
    sentWhole: false,
    derived: true,
    ranges: [],
    beforeText: null,
    ...more,
  };
}

export function writeOf(more: Partial<Written> = {}): Written {
  return {
    kind: "written",
    success: true,
    code: "applied",
    message: "Patch applied successfully.",
    state: stateOf("one\ntwo\n"),
    replaced: someHash,
    change: reportOf(),
    own: { base: someHash, request: "" },
    ...more,
  };
}

export function unchangedOf(code: Unchanged["code"]): Unchanged {
  const message = "Nothing was written.";
  return {
    kind: "unchanged",
    success: true,
    code,
    message,
    state: stateOf("one\ntwo\n"),
    shownBefore: false,
  };
}

export function refusedOf(
  code: RefusalCode,
  message: string,
  more: Partial<WriteRefusal> = {},
): WriteRefusal {
  const state = stateOf("one\ntwo\n");
  return { ...refuse(code, message), success: false, state, shownBefore: false, ...more };
}

type Answers = {
  readonly [Kind in FileRequest["kind"]]: (
    request: Extract<FileRequest, { readonly kind: Kind }>,
  ) => Promise<Outcomes[Kind]>;
};

/** A workspace that answers each kind of request as told, and fails loudly where nothing was told. */
export function scripted(answers: Partial<Answers>): ToolWorkspace {
  const knowledge = new SessionKnowledge();
  return {
    begin: () => knowledge.begin(),
    preview: async ({ kind }) => Promise.reject(new Error(`unexpected preview of ${kind}`)),
    run: async (request) => {
      // A cast: the answer stands under the request's own kind, which indexing by a union cannot follow.
      const answer = answers[request.kind] as ((given: typeof request) => Promise<never>) | undefined;
      if (answer === undefined) throw new Error(`unexpected request ${request.kind}`);
      return answer(request);
    },
  };
}
