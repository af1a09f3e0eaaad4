import type { Workspace } from "@holdfast/core/files";
import type { ApprovalRule } from "../config/approval.js";
import { Gate, type JudgedCall, nobody } from "./gate.js";

/** A tool, and the files that its call is about. */
export type FilteredCall = Pick<JudgedCall, "tool" | "also" | "paths">;

/** Why rules keep a call from being made, as the gate reads them: any name of a file counts. Undefined where none does. */
export function barredBy(
  rules: readonly ApprovalRule[],
  workspace: Pick<Workspace, "namesOf">,
  call: FilteredCall,
): Promise<string | undefined> {
  const namesOf = (path: string) => workspace.namesOf(path);
  const gate = new Gate({ mode: "yolo", rules, ask: nobody, harmless: [], namesOf });
  const request = { kind: "host_request", tool: call.tool, summary: "", args: {} } as const;
  return gate.barred({ ...call, kind: "look", request });
}
