import { randomUUID } from "node:crypto";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { DeltaSnapshot, uuid6 } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";

/**
 * LangGraph's checkpoints in PostgreSQL, called as its engine calls them (`@langchain/langgraph` 1.7.3, traced:
 * a graph of a model and its tools with a `messages` channel, invoked once a turn). The engine itself is left
 * out, and its time with it.
 *
 * - `step`: the default. Four checkpoints a turn (input, user's message, model's answer, result), in three of
 *   them the whole list of messages, and the writes of three tasks beside them.
 * - `turn`: with `durability: "exit"`. One checkpoint a turn, with the whole list; a crash within a turn
 *   loses the turn.
 * - `delta`: with its `DeltaChannel` (beta) for the messages. As `step`, but a checkpoint holds no messages:
 *   they are read back from the writes. Every 100 updates, as is its default, the whole list is stored.
 *
 * @typedef {"step" | "turn" | "delta"} Way
 * @typedef {import("@langchain/core/messages").BaseMessage} Message
 * @typedef {import("@langchain/langgraph-checkpoint").Checkpoint} Checkpoint
 * @typedef {Record<string, number>} Versions
 */

export class Checkpoints {
  /** @type {Message[]} */
  #messages = [];
  /** @type {Versions} */
  #versions = {};
  /** @type {Record<string, Versions>} */
  #seen = { __input__: {} };
  #step = -2;
  #updates = 0;
  #supersteps = 0;
  /** @type {{ thread_id: string, checkpoint_ns: string, checkpoint_id?: string }} */
  #at = { thread_id: "bench", checkpoint_ns: "" };
  /** What is on its way to the server: puts one after the other, writes beside them. @type {Promise<unknown>} */
  #put = Promise.resolve();
  /** @type {Promise<unknown>[]} */
  #writes = [];

  /** @param {PostgresSaver} saver @param {Way} way */
  constructor(saver, way) {
    this.saver = saver;
    this.way = way;
  }

  /** @param {string} url @param {string} schema @param {Way} way */
  static async open(url, schema, way) {
    const saver = PostgresSaver.fromConnString(url, { schema });
    await saver.setup();
    return new Checkpoints(saver, way);
  }

  /** All of a turn is on the server when this resolves. @param {import("./turns.mjs").Turn} turn */
  async turn(turn) {
    const [question, answer, result] = messagesOf(turn);
    this.#checkpoint("input", ["__start__"], { __start__: { messages: [question] } });
    this.#write([
      ["messages", [question]],
      ["branch:to:model", null],
    ]);
    this.#advance("__start__", [question], ["__start__", "messages", "branch:to:model"]);
    this.#write([
      ["messages", [answer]],
      ["branch:to:tools", null],
    ]);
    this.#advance("model", [answer], ["messages", "branch:to:model", "branch:to:tools"]);
    this.#write([["messages", [result]]]);
    this.#advance("tools", [result], ["messages", "branch:to:tools"]);
    if (this.way === "turn") this.#store("loop", this.#versions, {});
    await this.#put;
    await Promise.all(this.#writes);
    this.#writes = [];
  }

  /** The messages of the last state. */
  async load() {
    const thread = { configurable: { thread_id: "bench", checkpoint_ns: "" } };
    const last = await this.saver.getTuple(thread);
    if (last === undefined) throw new Error("nothing was stored");
    const stored = messagesIn(last.checkpoint.channel_values.messages);
    if (stored !== undefined) return stored;
    const { messages } = await this.saver.getDeltaChannelHistory({
      config: last.config,
      channels: ["messages"],
    });
    // Of our own making: each write is a list of messages, the seed a snapshot.
    const writes = /** @type {Message[][]} */ (messages?.writes.map((write) => write[2]) ?? []);
    return [...(messagesIn(messages?.seed) ?? []), ...writes.flat()];
  }

  close() {
    return this.saver.end();
  }

  /** A node has run: what it wrote is in the channels. @param {string} node @param {readonly (Message | undefined)[]} added @param {readonly string[]} changed */
  #advance(node, added, changed) {
    const trigger = node === "__start__" ? "__start__" : `branch:to:${node}`;
    this.#seen = { ...this.#seen, [node]: { [trigger]: this.#versions[trigger] ?? 0 } };
    this.#messages = [...this.#messages, ...added.filter((message) => message !== undefined)];
    this.#updates += 1;
    this.#checkpoint("loop", changed, {});
  }

  /** @param {"input" | "loop"} source @param {readonly string[]} changed @param {Record<string, unknown>} values */
  #checkpoint(source, changed, values) {
    const next = Math.max(0, ...Object.values(this.#versions)) + 1;
    const fresh = Object.fromEntries(changed.map((channel) => [channel, next]));
    this.#versions = { ...this.#versions, ...fresh };
    this.#step += 1;
    this.#supersteps += 1;
    if (this.way !== "turn") this.#store(source, fresh, values);
  }

  /** @param {"input" | "loop"} source @param {Versions} fresh @param {Record<string, unknown>} values */
  #store(source, fresh, values) {
    /** @type {Checkpoint} */
    const checkpoint = {
      v: 4,
      id: uuid6(this.#step),
      ts: new Date().toISOString(),
      channel_values: { ...this.#messagesToStore(), ...values, __pregel_tasks: [] },
      channel_versions: this.#versions,
      versions_seen: this.#seen,
    };
    const config = { configurable: this.#at };
    const metadata = { source, step: this.#step, parents: {}, ...this.#counters() };
    // The engine stores no checkpoint before the writes that its messages are read back from.
    const before = this.way === "delta" ? [...this.#writes] : [];
    this.#put = this.#put
      .then(() => Promise.all(before))
      .then(() => this.saver.put(config, checkpoint, metadata, fresh));
    this.#at = { ...this.#at, checkpoint_id: checkpoint.id };
  }

  #messagesToStore() {
    if (this.way !== "delta") return { messages: this.#messages };
    if (this.#updates < 100) return {};
    [this.#updates, this.#supersteps] = [0, 0];
    return { messages: new DeltaSnapshot(this.#messages) };
  }

  #counters() {
    if (this.way !== "delta") return {};
    const counters = { messages: [this.#updates, this.#supersteps] };
    return { delta_writes_versioned: true, counters_since_delta_snapshot: counters };
  }

  /** What a task returned, stored beside the checkpoint on which it ran. @param {[string, unknown][]} writes */
  #write(writes) {
    if (this.way === "turn") return;
    this.#writes.push(this.saver.putWrites({ configurable: this.#at }, writes, randomUUID()));
  }
}

/** @param {unknown} stored @returns {Message[] | undefined} */
function messagesIn(stored) {
  // Of our own making: a list of messages, or a snapshot of one.
  const value = stored instanceof DeltaSnapshot ? stored.value : stored;
  return /** @type {Message[] | undefined} */ (value);
}

/** @param {import("./turns.mjs").Turn} turn @returns {[Message, Message, Message]} */
function messagesOf({ question, answer, callId, path, result }) {
  const call = { id: callId, name: "read_file", args: { file_path: path, limit: 25 } };
  return [
    new HumanMessage({ id: randomUUID(), content: question }),
    new AIMessage({ id: randomUUID(), content: answer, tool_calls: [call] }),
    new ToolMessage({ id: randomUUID(), content: result, tool_call_id: callId, name: "read_file" }),
  ];
}
