import type { RecordedWrite } from "../../files/values/index.js";
import { escapeForDisplay } from "../../text/index.js";
import { isOnPath } from "../tree/path.js";
import type { TreeWrite } from "../tree/tree-writes.js";
import type { FileStateHash } from "../values/file-effects.js";
import type { ConversationContext, TurnNode } from "../values/node.js";

/** Who left a file as it stands on the disk, as far as that is recorded. */
export type FileMaker =
  | {
      readonly who: "this_conversation";
      /** The node that tells of it; undefined where the tree does not hold it (any more, or yet). */
      readonly nodeId?: string;
      /** The task on whose branch it was made. */
      readonly taskId?: string;
      /** The name of that task; the session's own branch has none. */
      readonly branch?: string;
      /** Whether it stands on the path to the head. */
      readonly here: boolean;
    }
  /** The id of the conversation, or where none made the write, of the session of tools. */
  | { readonly who: "another_session"; readonly session: string }
  /** No recorded write left it so: a person, a shell, another program. */
  | { readonly who: "someone_else" };

/** What is known of one file. */
interface MakerFacts {
  /** What stands there. */
  readonly state: FileStateHash | undefined;
  /** What this conversation did to it, on all branches. */
  readonly writes: readonly TreeWrite[];
  /** The newest recorded write to it; `"unknown"` where nobody can be asked. */
  readonly last: RecordedWrite | undefined | "unknown";
  /** The session of the tools that look. */
  readonly session?: string;
}

/** Tells who made the present state of a file, by the record of writes and by what the conversation says itself. */
export function makerOf(context: ConversationContext, facts: MakerFacts): FileMaker {
  const { state, writes, last } = facts;
  const told = writes.findLast(({ after }) => after === state);
  if (last === "unknown") return told === undefined ? someoneElse : ours(context, told.node);
  // Displaced by whoever wrote without us, or never written by tools.
  if (last === undefined || last.after !== state) return someoneElse;
  const { caller } = last;
  if (caller !== undefined) {
    const node = "call" in caller ? context.nodes.get(caller.call) : told?.node;
    const isHere = caller.conversation === context.sessionId || ("call" in caller && node !== undefined);
    if (isHere) return node === undefined ? ourOwn : ours(context, node);
    return { who: "another_session", session: caller.conversation };
  }
  // Recorded by a host that names no caller, or by an earlier release.
  if (told !== undefined && (told.before === undefined || told.before === last.before))
    return ours(context, told.node);
  return last.session === facts.session ? someoneElse : { who: "another_session", session: last.session };
}

const someoneElse: FileMaker = { who: "someone_else" };
const ourOwn: FileMaker = { who: "this_conversation", here: false };

function ours(context: ConversationContext, { id, taskId }: TurnNode): FileMaker {
  const boundary = context.nodes.get(taskId)?.payload;
  const name = boundary?.kind === "task_boundary" && taskId !== context.sessionId ? boundary.name : "";
  return {
    who: "this_conversation",
    nodeId: id,
    taskId,
    ...(name === "" ? {} : { branch: name }),
    here: isOnPath(context, id, context.currentNodeId),
  };
}

/** The maker as the subject of a sentence. */
export function makerWords(maker: FileMaker): string {
  switch (maker.who) {
    case "this_conversation": {
      if (maker.here) return "this conversation";
      if (maker.nodeId === undefined) return "this conversation, in a call that its tree does not hold,";
      const branch = maker.branch === undefined ? "" : ` of the task "${escapeForDisplay(maker.branch)}"`;
      return `this conversation, on the branch${branch} at node ${maker.nodeId},`;
    }
    case "another_session":
      return `another session (${escapeForDisplay(maker.session)})`;
    case "someone_else":
      return "somebody else";
    default:
      return maker satisfies never;
  }
}
