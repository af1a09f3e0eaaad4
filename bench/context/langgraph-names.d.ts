/**
 * What of LangGraph's checkpoints is used here: the packages are installed when the bench is first run, and
 * types are checked without them.
 */
declare module "@langchain/core/messages" {
  export class BaseMessage {
    constructor(fields: { readonly id: string; readonly content: string });
  }
  export class HumanMessage extends BaseMessage {}
  export class AIMessage extends BaseMessage {
    constructor(fields: {
      readonly id: string;
      readonly content: string;
      readonly tool_calls: readonly { readonly id: string; readonly name: string; readonly args: object }[];
    });
  }
  export class ToolMessage extends BaseMessage {
    constructor(fields: {
      readonly id: string;
      readonly content: string;
      readonly tool_call_id: string;
      readonly name: string;
    });
  }
}

declare module "@langchain/langgraph-checkpoint" {
  export class DeltaSnapshot {
    constructor(value: unknown);
    readonly value: unknown;
  }
  export function uuid6(step: number): string;
  export interface Config {
    readonly configurable: {
      readonly thread_id: string;
      readonly checkpoint_ns: string;
      readonly checkpoint_id?: string;
    };
  }
  export interface Checkpoint {
    readonly v: number;
    readonly id: string;
    readonly ts: string;
    readonly channel_values: Readonly<Record<string, unknown>>;
    readonly channel_versions: Readonly<Record<string, number>>;
    readonly versions_seen: Readonly<Record<string, Readonly<Record<string, number>>>>;
  }
  export interface DeltaChannelHistory {
    readonly seed?: unknown;
    /** Task, channel, value. */
    readonly writes: readonly (readonly [string, string, unknown])[];
  }
}

declare module "@langchain/langgraph-checkpoint-postgres" {
  import type { Checkpoint, Config, DeltaChannelHistory } from "@langchain/langgraph-checkpoint";
  export class PostgresSaver {
    static fromConnString(url: string, options: { readonly schema: string }): PostgresSaver;
    setup(): Promise<void>;
    put(
      config: Config,
      checkpoint: Checkpoint,
      metadata: object,
      newVersions: Readonly<Record<string, number>>,
    ): Promise<Config>;
    putWrites(config: Config, writes: readonly (readonly [string, unknown])[], taskId: string): Promise<void>;
    getTuple(
      config: Config,
    ): Promise<{ readonly config: Config; readonly checkpoint: Checkpoint } | undefined>;
    getDeltaChannelHistory(options: {
      readonly config: Config;
      readonly channels: readonly string[];
    }): Promise<Readonly<Record<string, DeltaChannelHistory>>>;
    end(): Promise<void>;
  }
}
