import { type ImportProblem, type SourceLine, whereOf } from "@holdfast/core/conversation/import";
import type { TurnUsage } from "@holdfast/core/conversation/values";
import { isJsonObject, type JsonObject, type JsonValue } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import { objectOf, textOf, timeOf } from "../lines/fields.js";
import { FoldedCounter } from "../lines/folded-counter.js";
import type { EntryNode, EntryScope, ForeignEntry } from "../tree/foreign-entry.js";
import {
  callsIn,
  type GeminiCall,
  type GeminiResult,
  geminiResult,
  isOfResults,
  modelTextParts,
  partsOf,
  resultsIn,
  userParts,
} from "./gemini-parts.js";
import {
  argsIn,
  asMessage,
  isChatter,
  isContent,
  isContext,
  isMessage,
  isUsers,
  keyOf,
  listOf,
  ownIds,
  shownText,
  thoughtsOf,
  usageOf,
} from "./gemini-records.js";
import { titleFrom } from "./pi.js";
import { WaitingCalls } from "./waiting-calls.js";

/** A message, with all that later records say of it. */
interface Message {
  readonly key: string;
  readonly id: string;
  readonly line: number;
  readonly timestamp: number;
  parent: Message | undefined;
  value: JsonObject;
  readonly calls: Map<string, GeminiCall>;
  /** By the ids of these calls. */
  readonly results: Map<string, GeminiResult>;
  /** It stands for those before `keeps`, or for all before it. */
  readonly sums?: { readonly keeps: Message | undefined };
}

/** The chat of a subagent. */
interface GeminiAgent {
  readonly id: string;
  readonly file: string;
}

/** The call that began a subagent: the entry it is in, and what it was asked. */
interface GeminiBegin {
  readonly sourceId: string | null;
  readonly call?: GeminiCall;
}

/** Makes entries of the records of one chat. */
export class GeminiChat {
  readonly folded = new FoldedCounter();
  readonly problems: ImportProblem[] = [];
  title: string | undefined;
  cwd: string | undefined;
  /** The calls that began subagents, by what the program notes of them. */
  readonly begun = new Map<string, GeminiBegin>();
  private readonly messages = new Map<string, Message>();
  /** Of calls that stand nowhere before them. */
  private readonly results = new Map<string, GeminiResult>();
  private readonly callers = new WaitingCalls<Message>(({ results }, id) => results.has(id));
  /** Calls without an id, by name. */
  private readonly waiting = new Map<string, string[]>();
  private path: Message[] = [];
  private unnamed = 0;
  private strays = 0;
  private timestamp: number;
  /** The last entry of each message, by its key. */
  private readonly ends = new Map<string, string>();

  /** @param agent whose chat it is, where it is a subagent's. */
  constructor(
    private readonly startedMs: number,
    private readonly agent?: GeminiAgent,
  ) {
    this.timestamp = startedMs;
  }

  get agentId(): string | undefined {
    return this.agent?.id;
  }

  /** Of the entries that were made, the one at which the chat stands. */
  get lastEntryId(): string | null {
    return this.ends.get(this.path.at(-1)?.key ?? "") ?? null;
  }

  get leafLine(): number | undefined {
    return this.path.at(-1)?.line;
  }

  take(source: SourceLine): void {
    const { value, line } = source;
    const set = objectOf(value, "$set");
    const rewind = textOf(value, "$rewindTo");
    if (set !== undefined) {
      if (Array.isArray(set.messages))
        this.replaceAll(line, (set.messages as readonly JsonValue[]).filter(isJsonObject));
      else this.folded.add("$set");
      this.title = textOf(set, "summary") ?? this.title;
    } else if (rewind !== undefined) this.rewindTo(line, rewind);
    else if (isContent(value)) this.append(line, asMessage(value));
    else if (isMessage(value)) this.append(line, value);
    else {
      const { directories } = value;
      const [first] = Array.isArray(directories) ? (directories as readonly JsonValue[]) : [];
      if (typeof first === "string") this.cwd ??= first;
      this.title = textOf(value, "summary") ?? this.title;
      this.folded.add(
        textOf(value, "type") ?? (textOf(value, "sessionId") === undefined ? "untyped" : "header"),
      );
    }
  }

  /**
   * Of each message one entry: what was said, its calls, then their results. Behind calls that began subagents the
   * results are an entry of their own, since those hang below the calls.
   *
   * @param begin the call that began this one, where it is a subagent's.
   */
  *entries(begin?: GeminiBegin): Generator<ForeignEntry> {
    const top = this.agent === undefined ? undefined : beginning(this.agent, begin, this.startedMs);
    if (top !== undefined) yield top;
    let last = top;
    for (const message of parentsFirst(this.messages.values()))
      for (const entry of this.entriesOf(message, top?.sourceId ?? null)) {
        last = entry;
        yield entry;
      }
    for (const [id, result] of this.results) {
      last = { ...strayResult(this.ownKey(id), id, result, last, this.timestamp), ...this.inFile };
      yield last;
    }
  }

  private append(line: number, value: JsonObject): void {
    this.timestamp = timeOf(value, this.timestamp);
    const known = this.known(value);
    if (isChatter(value)) this.folded.add(textOf(value, "type") ?? "untyped");
    else if (known !== undefined) this.renew(known, value, true);
    else if (this.takeResults(value)) this.folded.add("results, again");
    else this.path.push(this.add(line, value, this.path.at(-1)));
  }

  private known(value: JsonObject): Message | undefined {
    const key = keyOf(value);
    return key === undefined ? undefined : this.messages.get(this.ownKey(key));
  }

  private add(
    line: number,
    value: JsonObject,
    parent: Message | undefined,
    sums?: { readonly keeps: Message | undefined },
  ): Message {
    this.unnamed += 1;
    const id = textOf(value, "id") ?? `message ${this.unnamed}`;
    const key = this.ownKey(keyOf(value) ?? `unnamed ${this.unnamed}`);
    const message: Message = {
      ...{ key, id, line, timestamp: timeOf(value, this.timestamp), parent, value },
      ...{ calls: new Map(), results: new Map(), ...defined({ sums }) },
    };
    this.messages.set(key, message);
    this.renew(message, value, true);
    if (isUsers(value) && sums === undefined) this.title ??= titleFrom(shownText(value));
    return message;
  }

  /** @param isRecord a record of its own knows more than a list of the prompt's contents. */
  private renew(message: Message, value: JsonObject, isRecord: boolean): void {
    if (isRecord) message.value = value;
    const parts = partsOf(value.content);
    const inParts = callsIn(parts, (name, at) => this.nameless(name, `${message.id} call ${at + 1}`));
    const ids = ownIds(inParts);
    for (const [at, call] of inParts.entries()) {
      const id = ids[at] ?? call.id;
      if (!message.calls.has(id)) this.addCall(message, call.id, { ...call, id });
    }
    const records = listOf(value.toolCalls).filter(({ id }) => typeof id === "string");
    const own = ownIds(records);
    for (const [at, record] of records.entries()) this.renewCall(message, record, own[at] ?? "");
    this.takeResults(value);
  }

  private renewCall(message: Message, record: JsonObject, id: string): void {
    const given = textOf(record, "id") ?? id;
    const signature = message.calls.get(id)?.signature;
    const name = textOf(record, "name") ?? "unknown";
    this.addCall(message, given, { id, name, args: argsIn(record), signature, record });
    for (const result of resultsIn(partsOf(record.result), () => given))
      message.results.set(result.id === given ? id : result.id, result);
  }

  /** Two calls of one id stay two, each with its own result. */
  private addCall(message: Message, given: string, call: GeminiCall): void {
    const { calls, line } = message;
    const isNew = !calls.has(call.id);
    calls.set(call.id, call);
    const agentId = agentOf(call);
    if (agentId !== undefined) this.begun.set(agentId, { sourceId: message.key, call });
    if (!isNew) return;
    const isFirst = !this.callers.has(given);
    this.callers.add(given, message, call.id);
    if (call.id === given && isFirst) return;
    const kept = call.id === given ? "both were kept" : `it was kept as ${call.id}`;
    this.report(line, "duplicate_id", `has a call with the id ${given} of an earlier one; ${kept}.`);
  }

  /** The result belongs to the first call of its id that waits for one; one that comes again to none. */
  private placeResult(result: GeminiResult): void {
    const waiting = this.callers.next(result.id);
    if (waiting !== undefined) waiting.caller.results.set(waiting.id, result);
    else if (!this.callers.has(result.id) && !this.results.has(result.id))
      this.results.set(result.id, result);
  }

  /** @returns whether the message was nothing but results. */
  private takeResults(value: JsonObject): boolean {
    const parts = partsOf(value.content);
    for (const result of resultsIn(parts, (name) => this.openCallOf(name))) this.placeResult(result);
    return isOfResults(parts) && parts.every((part) => part.text === undefined);
  }

  /** Calls and results of older releases bear no id: a result belongs to the first open call of its name. */
  private nameless(name: string, id: string): string {
    const ids = this.waiting.get(name);
    if (ids === undefined) this.waiting.set(name, [id]);
    else ids.push(id);
    return id;
  }

  private openCallOf(name: string): string {
    const id = this.waiting.get(name)?.shift();
    this.strays += id === undefined ? 1 : 0;
    return id ?? `${name} ${this.strays}`;
  }

  /** The message and all after it were taken back. */
  private rewindTo(line: number, id: string): void {
    this.folded.add("$rewindTo");
    const at = this.path.findIndex((message) => message.id === id);
    if (at >= 0) this.path = this.path.slice(0, at);
    else {
      const said = `goes back to ${id}, which is not in the file before it; nothing was taken back.`;
      this.report(line, "lost_reference", said);
    }
  }

  private report(line: number, what: ImportProblem["what"], said: string): void {
    const where = { line, ...this.inFile };
    this.problems.push({ ...where, what, message: `${whereOf(where)} ${said}` });
  }

  /** The whole list anew: when a chat is taken up again, cut, or summed up. */
  private replaceAll(line: number, values: readonly JsonObject[]): void {
    const wanted = values.filter(
      (value) => !isChatter(value) && !(isOfResults(partsOf(value.content)) && this.takeResults(value)),
    );
    for (const value of wanted) {
      const known = this.known(value);
      if (known !== undefined) this.renew(known, value, false);
    }
    const fresh = wanted.filter((value) => this.known(value) === undefined);
    const sum = fresh.find((value) => shownText(value).includes("<state_snapshot>"));
    const end = this.path.at(-1);
    // Begun anew, the program writes down the context first, and in another record what was said before.
    const isOfContext = wanted.length > 0 && wanted.every(isContext);
    if (end !== undefined && isOfContext) this.putContext(line, fresh, end);
    else if (sum === undefined) this.place(line, wanted);
    else {
      const after = wanted.slice(wanted.indexOf(sum) + 1);
      const keeps = after.map((value) => this.known(value)).find((message) => message !== undefined);
      for (const value of fresh)
        this.path.push(this.add(line, value, this.path.at(-1), value === sum ? { keeps } : undefined));
    }
    this.folded.add("$set messages");
  }

  /**
   * What is new in a list stands where the list has it, if what follows it there followed what is before it: then its
   * own record was lost. Else it stands behind all.
   */
  private place(line: number, wanted: readonly JsonObject[]): void {
    const late: JsonObject[] = [];
    let before: Message | undefined;
    const followers = this.followersIn(wanted);
    for (const [at, value] of wanted.entries()) {
      const known = this.known(value);
      const follower = followers[at];
      if (known !== undefined) before = known;
      else if (follower !== undefined && follower.parent === before) {
        before = this.add(line, value, before);
        follower.parent = before;
      } else late.push(value);
    }
    this.path = pathTo(before);
    for (const value of late) this.path.push(this.add(line, value, this.path.at(-1)));
  }

  /** Of each place in a list the next message behind it that is known. */
  private followersIn(wanted: readonly JsonObject[]): readonly (Message | undefined)[] {
    let next: Message | undefined;
    return wanted
      .toReversed()
      .map((value) => {
        const follower = next;
        next = this.known(value) ?? next;
        return follower;
      })
      .reverse();
  }

  private putContext(line: number, fresh: readonly JsonObject[], end: Message): void {
    let above: Message | undefined;
    const [top] = this.path;
    for (const value of fresh) above = this.add(line, value, above);
    if (top !== undefined && above !== undefined) top.parent = above;
    this.path = pathTo(end);
  }

  private *entriesOf(message: Message, top: string | null): Generator<ForeignEntry> {
    const { key, line, timestamp, parent, value, sums } = message;
    const { said, answered } =
      sums === undefined ? this.nodesOf(message) : { said: [summary(message, sums.keeps)], answered: [] };
    const isParted = answered.length > 0 && [...message.calls.values()].some(agentOf);
    const nodes = counted(isParted ? said : [...said, ...answered], usageOf(objectOf(value, "tokens")));
    const base = { line, timestamp, ...this.inFile };
    const parentSourceId = (parent && this.ends.get(parent.key)) ?? top;
    this.ends.set(key, key);
    yield { ...base, sourceId: key, parentSourceId, nodes };
    if (!isParted) return;
    const end = `${key} results`;
    this.ends.set(key, end);
    yield { ...base, sourceId: end, parentSourceId: key, nodes: answered };
  }

  private get inFile(): { readonly file?: string } {
    return defined({ file: this.agent?.file });
  }

  /** Ids are of one chat; the entries of several have to be told apart. */
  private ownKey(key: string): string {
    return this.agent === undefined ? key : `${this.agent.id}: ${key}`;
  }

  private nodesOf({ id, value, calls, results }: Message): {
    readonly said: readonly EntryNode[];
    readonly answered: readonly EntryNode[];
  } {
    const parts = partsOf(value.content);
    if (isUsers(value)) return { said: userParts(parts), answered: [] };
    const origin = { from: { provider: "google", model: textOf(value, "model") ?? "unknown" }, step: id };
    const called = [...calls.values()].map(
      ({ id: callId, name, args, signature }): EntryNode => ({
        payload: { kind: "tool_call", callId, name, args, ...defined({ signature }), ...origin },
      }),
    );
    const answered = [...calls.values()].flatMap((call) => {
      const result = results.get(call.id) ?? this.results.get(call.id);
      this.results.delete(call.id);
      return result === undefined ? [] : geminiResult(call, result);
    });
    return { said: [...modelTextParts(parts, thoughtsOf(value), origin), ...called], answered };
  }
}

/** The subagent that a call began. */
function agentOf({ record }: GeminiCall): string | undefined {
  return record && textOf(record, "agentId");
}

function beginning(
  { id, file }: GeminiAgent,
  { sourceId, call }: GeminiBegin = { sourceId: null },
  timestamp: number,
): ForeignEntry {
  const name = `subagent ${(call && textOf(call.args, "agent_name")) ?? id}`;
  const payload = { kind: "task_boundary", name, transformation: { kind: "clear" } } as const;
  const place = { sourceId: `subagent ${id}`, parentSourceId: sourceId, line: 1, file, timestamp };
  return { ...place, nodes: [{ payload }], aside: true };
}

function counted(nodes: readonly EntryNode[], usage: TurnUsage | undefined): readonly EntryNode[] {
  const [first, ...others] = nodes;
  if (first === undefined || usage === undefined) return nodes;
  return [{ ...first, metadata: { ...first.metadata, usage } }, ...others];
}

/** A result whose call is not in the file stays where the chat ends. */
function strayResult(
  key: string,
  id: string,
  result: GeminiResult,
  last: ForeignEntry | undefined,
  now: number,
): ForeignEntry {
  const base = { line: last?.line ?? 1, timestamp: last?.timestamp ?? now };
  const nodes = geminiResult({ id, name: "unknown", args: {} }, result);
  return { ...base, sourceId: `result ${key}`, parentSourceId: last?.sourceId ?? null, nodes };
}

function pathTo(last: Message | undefined): Message[] {
  const path: Message[] = [];
  for (let message = last; message !== undefined; message = message.parent) path.push(message);
  return path.reverse();
}

/** In the order of the file, but for those that were put above earlier ones. */
function* parentsFirst(messages: Iterable<Message>): Generator<Message> {
  const done = new Set<Message>();
  for (const message of messages) {
    const waiting: Message[] = [];
    for (let at: Message | undefined = message; at !== undefined && !done.has(at); at = at.parent) {
      waiting.push(at);
      done.add(at);
    }
    yield* waiting.reverse();
  }
}

function summary({ value }: Message, keeps: Message | undefined): EntryNode {
  const text = shownText(value);
  const payload = (scope: EntryScope) => {
    const firstId = keeps === undefined ? undefined : scope.nodesOf(keeps.key)?.firstId;
    const keepFromId = firstId !== undefined && scope.isAbove(firstId) ? firstId : null;
    return { kind: "summary", of: "compaction", text, keepFromId } as const;
  };
  return { payload };
}
