import { type ImportProblem, type SourceLine, whereOf } from "@holdfast/core/conversation/import";
import type { TurnUsage } from "@holdfast/core/conversation/values";
import { isJsonObject, type JsonObject, type JsonValue } from "@holdfast/core/conversation/values";
import { defined } from "@holdfast/core/text";
import { countOf, objectOf, textOf, timeOf } from "../lines/fields.js";
import { FoldedCounter } from "../lines/folded-counter.js";
import type { EntryNode, ForeignEntry } from "../tree/foreign-entry.js";
import { noteForModel, noteForPerson, splitTexts, unknown, userNodes } from "./blocks.js";
import { type CodexAgentFile, codexParentOf, keyOf, nameOf, SpawnedAgents } from "./codex-agents.js";
import { type CodexAnswer, type CodexItem, codexItem, resultOf, thoughtOf } from "./codex-items.js";
import { FreeIds } from "./free-ids.js";
import { titleFrom } from "./pi.js";

/** What a rollout says of the tokens that an answer took: its own record, or what a person is shown. */
export type Counts = "records" | "shown" | "none";

/** By what the answers of a rollout are counted. */
export function countsIn(lines: readonly SourceLine[]): Counts {
  if (lines.some(({ value }) => value.type === "token_usage_record")) return "records";
  const isShown = ({ value }: SourceLine) => objectOf(value, "payload")?.type === "token_count";
  return lines.some(isShown) ? "shown" : "none";
}

/** An item on its way into the tree. */
interface CodexDraft {
  readonly line: number;
  readonly timestamp: number;
  readonly sourceId: string;
  readonly nodes: readonly EntryNode[];
}

/** An answer of the model of which more may come. */
interface OpenAnswer {
  readonly step: string;
  readonly calls: Set<string>;
  readonly parts: CodexDraft[];
  readonly results: CodexDraft[];
  /** Items that follow each other. */
  reasoning: { readonly draft: CodexDraft; readonly item: JsonObject }[];
  follows: string | undefined;
  usage: TurnUsage | undefined;
  /** What it took was counted: only results can follow. */
  isCounted: boolean;
}

/** An entry, as others hang on it. */
interface CodexPlace {
  readonly sourceId: string;
  readonly line: number;
}

/** The rollout of a subagent: what it repeats of its parent's, and what it hangs on. */
interface CodexTask {
  readonly file: CodexAgentFile;
  readonly inherited: ReadonlySet<string>;
  readonly under: CodexPlace | undefined;
  /** Of all files together. */
  readonly ids: Set<string>;
}

/** Makes entries of the records of one rollout, in their order. */
export class CodexReader {
  readonly entries: ForeignEntry[] = [];
  readonly problems: ImportProblem[] = [];
  readonly folded = new FoldedCounter();
  id: string | undefined;
  /** The thread that began this one. */
  parentId: string | undefined;
  cwd: string | undefined;
  name: string | undefined;
  firstWords: string | undefined;
  /** What the next entry hangs on. */
  last: CodexPlace | undefined;
  readonly ids: Set<string>;
  private readonly freeIds = new FreeIds((id) => this.ids.has(id));
  private model = "unknown";
  /** What each turn of the user hangs on, for turns that are taken back. */
  private readonly turns: (typeof this.last)[] = [];
  private readonly callNames = new Map<string, string>();
  private readonly callPlaces = new Map<string, CodexPlace>();
  private readonly spawned = new SpawnedAgents();
  private answer: OpenAnswer | undefined;
  private answers = 0;
  private before: SourceLine | undefined;
  /** Another agent told it something. */
  private isTold = false;

  constructor(
    private readonly counts: Counts,
    private timestamp: number,
    private readonly task?: CodexTask,
  ) {
    this.ids = task?.ids ?? new Set();
    if (task === undefined) return;
    const { file, under } = task;
    const payload = {
      kind: "task_boundary",
      name: nameOf(file),
      transformation: { kind: file.isFork ? "clone" : "clear" },
    } as const;
    this.last = under;
    this.put({ line: 1, timestamp, sourceId: `subagent ${file.id}`, nodes: [{ payload }] }, true);
  }

  get leafLine(): number | undefined {
    return this.last?.line;
  }

  /** The call that began a subagent. */
  spawnOf(file: CodexAgentFile): CodexPlace | undefined {
    return this.callPlaces.get(this.spawned.callOf(file) ?? "");
  }

  take(source: SourceLine): void {
    const { value, line } = source;
    const { before } = this;
    this.before = source;
    if (before !== undefined && repeats(value, before.value)) {
      this.tell(line, `repeats line ${before.line}; it was left out.`);
      return;
    }
    this.timestamp = timeOf(value, this.timestamp);
    const payload = objectOf(value, "payload");
    if (payload !== undefined) this.takeRecord(line, value, payload);
    else if (isBareItem(value)) this.takeItem(line, value);
    else this.takeHeader(value, objectOf(value, "session") ?? value);
  }

  private takeRecord(line: number, value: JsonObject, payload: JsonObject): void {
    if (this.task?.inherited.has(keyOf(payload)) === true) {
      this.folded.add("of the parent, again");
      return;
    }
    switch (value.type) {
      case "session_meta":
        this.takeHeader(value, payload);
        break;
      case "response_item":
        this.takeItem(line, payload);
        break;
      case "compacted":
        this.takeCompaction(line, payload);
        break;
      case "event_msg":
        this.takeEvent(payload);
        break;
      case "token_usage_record":
        this.count(objectOf(payload, "usage"));
        this.folded.add("token_usage_record");
        break;
      case "turn_context":
        this.model = textOf(payload, "model") ?? this.model;
        this.folded.add("turn_context");
        break;
      default:
        this.folded.add(textOf(value, "type") ?? "untyped");
    }
  }

  finish(): void {
    this.closeAnswer();
  }

  /** The first one names the session; a fork repeats those of the sessions that it came from. */
  private takeHeader(value: JsonObject, meta: JsonObject): void {
    if (this.id === undefined) this.parentId = codexParentOf(meta)?.parentId;
    this.id ??= textOf(meta, "id");
    this.cwd ??= textOf(meta, "cwd");
    this.folded.add(textOf(value, "type") ?? textOf(value, "record_type") ?? "header");
  }

  private takeItem(line: number, value: JsonObject): void {
    if (this.isNextAnswer(value)) this.closeAnswer();
    const item = codexItem(value, this.answerOrigin());
    const sourceId = textOf(value, "id") ?? `line ${line}`;
    const draft: CodexDraft = { line, timestamp: this.timestamp, sourceId, nodes: [] };
    if (item === undefined) {
      this.folded.add(`response_item ${textOf(value, "type") ?? "untyped"}`);
      return;
    }
    switch (item.kind) {
      case "message":
        this.takeMessage(draft, item, value);
        break;
      case "told":
        this.takeTold(draft, item.blocks);
        break;
      case "answered":
        this.takeResult(draft, item);
        break;
      default:
        this.takePart(draft, item);
    }
  }

  /**
   * Whether an item of the model begins another answer. Behind a result one does, unless it is a call, and the
   * answers are counted one by one: old releases wrote each of parallel calls together with its result.
   */
  private isNextAnswer({ type, role }: JsonObject): boolean {
    const { answer } = this;
    if (answer === undefined || isResult(type) || (type === "message" && role !== "assistant")) return false;
    if (answer.isCounted) return true;
    return answer.results.length > 0 && !(isCall(type) && this.counts !== "none");
  }

  private answerOrigin(): CodexAnswer {
    const step = this.answer?.step ?? `answer ${this.answers + 1}`;
    return { from: { provider: "openai", model: this.model }, step, follows: this.answer?.follows };
  }

  private takeMessage(
    draft: CodexDraft,
    { role, blocks }: Extract<CodexItem, { kind: "message" }>,
    value: JsonObject,
  ): void {
    this.closeAnswer();
    const { text, rest } = splitTexts(blocks);
    if (role !== "user" || isOfProgram(value, text)) {
      this.put({ ...draft, nodes: [noteForModel(text), ...rest.map((block) => unknown("codex", block))] });
      return;
    }
    this.turns.push(this.last);
    this.firstWords ??= titleFrom(splitTexts(blocks.filter((block) => !isImageTag(block))).text);
    this.put({ ...draft, nodes: userNodes(blocks, "codex") });
  }

  /** The words with which a subagent was begun are its prompt; later ones are notes for the model, as of the program. */
  private takeTold(draft: CodexDraft, blocks: readonly JsonObject[]): void {
    this.closeAnswer();
    const { text, rest } = splitTexts(blocks);
    // A fork may repeat turns of its parent before it that are lost there.
    const isFirst = this.turns.length === 0 || (this.task?.file.isFork === true && !this.isTold);
    this.isTold = true;
    if (this.parentId !== undefined && isFirst) {
      this.turns.push(this.last);
      this.firstWords ??= titleFrom(text.slice(text.startsWith("Message Type: ") ? payloadOf(text) : 0));
      this.put({ ...draft, nodes: userNodes(blocks, "codex") });
    } else
      this.put({ ...draft, nodes: [noteForModel(text), ...rest.map((block) => unknown("codex", block))] });
  }

  /** Results of parallel calls stand behind the last of the calls, also where they were written before it. */
  private takeResult(draft: CodexDraft, { callId, output }: Extract<CodexItem, { kind: "answered" }>): void {
    this.spawned.addResult(callId, output);
    const nodes = resultOf(callId, this.callNames.get(callId) ?? "unknown", output);
    if (this.answer?.calls.has(callId) === true) this.answer.results.push({ ...draft, nodes });
    else {
      this.closeAnswer();
      this.put({ ...draft, nodes });
    }
  }

  private takePart(
    draft: CodexDraft,
    item: Exclude<CodexItem, { kind: "message" | "told" | "answered" }>,
  ): void {
    const answer = this.openAnswer();
    if (item.kind === "reasoning") {
      answer.reasoning.push({ draft, item: item.item });
      answer.follows = textOf(item.item, "id");
      return;
    }
    this.closeReasoning(answer);
    answer.parts.push({ ...draft, nodes: item.nodes });
    if (item.kind === "called") {
      answer.calls.add(item.callId);
      this.callNames.set(item.callId, item.name);
    }
    if (item.kind === "done")
      answer.results.push({ ...draft, sourceId: `${draft.sourceId} result`, nodes: item.results });
  }

  private openAnswer(): OpenAnswer {
    if (this.answer !== undefined) return this.answer;
    const { step } = this.answerOrigin();
    this.answers += 1;
    const [calls, follows, usage, isCounted] = [new Set<string>(), undefined, undefined, false];
    this.answer = { step, calls, parts: [], results: [], reasoning: [], follows, usage, isCounted };
    return this.answer;
  }

  private closeReasoning(answer: OpenAnswer): void {
    const [first] = answer.reasoning;
    if (first === undefined) return;
    const thought = thoughtOf(
      answer.reasoning.map(({ item }) => item),
      this.answerOrigin(),
    );
    answer.parts.push({ ...first.draft, nodes: [thought] });
    answer.reasoning = [];
  }

  private closeAnswer(): void {
    const { answer } = this;
    if (answer === undefined) return;
    this.closeReasoning(answer);
    this.answer = undefined;
    for (const [at, part] of answer.parts.entries())
      this.put(at === 0 && answer.usage !== undefined ? withUsage(part, answer.usage) : part);
    for (const result of answer.results) this.put(result);
  }

  private takeCompaction(line: number, payload: JsonObject): void {
    this.closeAnswer();
    const message = textOf(payload, "message") ?? "";
    const kept = Array.isArray(payload.replacement_history) ? payload.replacement_history : [];
    const sealed = (kept as readonly JsonValue[]).flatMap((item) =>
      isJsonObject(item) && isSealed(item.type) ? [unknown("codex", item)] : [],
    );
    const summary: EntryNode =
      message === "" && sealed.length > 0
        ? noteForPerson("The provider summed up the conversation in a form that only it can read.")
        : { payload: { kind: "summary", of: "compaction", text: message, keepFromId: null } };
    this.put({ line, timestamp: this.timestamp, sourceId: `line ${line}`, nodes: [summary, ...sealed] });
  }

  private takeEvent(payload: JsonObject): void {
    const type = textOf(payload, "type") ?? "untyped";
    this.spawned.addEvent(payload);
    if (type === "token_count")
      this.count(
        this.counts === "shown" ? objectOf(objectOf(payload, "info") ?? {}, "last_token_usage") : undefined,
      );
    if (type === "thread_name_updated") this.name = textOf(payload, "thread_name") ?? this.name;
    if (type === "thread_rolled_back") this.rollBack(countOf(payload, "num_turns"));
    this.folded.add(`event_msg ${type}`);
  }

  /** So many turns of the user were taken back; what follows hangs where the first of them did. */
  private rollBack(turns: number): void {
    this.closeAnswer();
    const from = Math.max(0, this.turns.length - turns);
    if (turns < 1 || from === this.turns.length) return;
    this.last = this.turns[from];
    this.turns.length = from;
  }

  /** Where an answer is counted, it is over. */
  private count(usage: JsonObject | undefined): void {
    const { answer } = this;
    if (answer === undefined || answer.isCounted) return;
    answer.isCounted = true;
    if (usage !== undefined) answer.usage = usageOf(usage);
  }

  private put(draft: CodexDraft, aside = false): void {
    const { line, timestamp, nodes } = draft;
    if (nodes.length === 0) return;
    const sourceId = this.ids.has(draft.sourceId) ? this.another(draft) : draft.sourceId;
    this.ids.add(sourceId);
    const place = { sourceId, line };
    for (const { payload } of nodes)
      if (typeof payload === "object" && payload.kind === "tool_call")
        this.callPlaces.set(payload.callId, place);
    const file = this.task?.file.name;
    this.entries.push({
      ...{ sourceId, parentSourceId: this.last?.sourceId ?? null, line, timestamp, nodes },
      ...defined({ file, aside: aside ? (true as const) : undefined }),
    });
    this.last = place;
  }

  /** The order of the lines says what hangs on what: an id that occurs twice must not lead astray. */
  private another({ sourceId, line }: CodexDraft): string {
    const free = this.freeIds.at(line, sourceId);
    this.tell(line, `has the id ${sourceId} of an earlier line; it was kept as ${free}.`);
    return free;
  }

  private tell(line: number, said: string): void {
    const where = { line, ...defined({ file: this.task?.file.name }) };
    this.problems.push({ ...where, what: "duplicate_id", message: `${whereOf(where)} ${said}` });
  }
}

/** Of two records that say the same at the same time the second is a copy; old releases noted no times. */
function repeats(value: JsonObject, before: JsonObject): boolean {
  const { timestamp, type } = value;
  if (typeof timestamp !== "string" || timestamp !== before.timestamp || type !== before.type) return false;
  return type !== "event_msg" && JSON.stringify(value) === JSON.stringify(before);
}

/** Where the words of a message between agents begin, behind what the program writes above them. */
function payloadOf(text: string): number {
  const head = "\nPayload:\n";
  const at = text.indexOf(head);
  return at < 0 ? 0 : at + head.length;
}

function isCall(type: JsonValue | undefined): boolean {
  return typeof type === "string" && type.endsWith("_call");
}

function isResult(type: JsonValue | undefined): boolean {
  return typeof type === "string" && type.endsWith("_output");
}

function isSealed(type: JsonValue | undefined): boolean {
  return type === "compaction" || type === "compaction_summary" || type === "context_compaction";
}

/** An item without an envelope, as the releases before September 2025 wrote it. */
export function isBareItem({ type, role, content, payload }: JsonObject): boolean {
  if (payload !== undefined || typeof type !== "string") return false;
  if (type === "message") return typeof role === "string" && Array.isArray(content);
  return type === "reasoning" || isCall(type) || isResult(type);
}

/** What the program says to the model in the user's place: where it knows so itself, else by how it begins. */
function isOfProgram(item: JsonObject, text: string): boolean {
  const passed = objectOf(item, "internal_chat_message_metadata_passthrough");
  const told = Array.isArray(passed?.content_item_metadata) ? passed.content_item_metadata : [];
  const sources = (told as readonly JsonValue[]).map((one) =>
    isJsonObject(one) ? objectOf(one, "provenance")?.type : undefined,
  );
  // Others than the user are the harness and its tools, when a subagent has ended, say.
  if (sources.some((source) => source !== undefined))
    return sources.every((source) => source !== undefined && source !== "user");
  return ofProgram.test(text);
}

const ofProgram =
  /^\s*(<(environment_context|user_instructions|permissions instructions|turn_aborted|skill|subagent_notification|INSTRUCTIONS)\b|# AGENTS\.md instructions )/;

function isImageTag({ text }: JsonObject): boolean {
  return typeof text === "string" && /^<\/?image\b/.test(text);
}

function withUsage(draft: CodexDraft, usage: TurnUsage): CodexDraft {
  const [first, ...others] = draft.nodes;
  if (first === undefined) return draft;
  return { ...draft, nodes: [{ ...first, metadata: { ...first.metadata, usage } }, ...others] };
}

function usageOf(usage: JsonObject): TurnUsage {
  return {
    inputTokens: countOf(usage, "input_tokens"),
    cachedInputTokens: countOf(usage, "cached_input_tokens"),
    ...defined({ cacheWriteTokens: numberOf(usage, "cache_write_input_tokens") }),
    outputTokens: countOf(usage, "output_tokens"),
    ...defined({ thoughtTokens: numberOf(usage, "reasoning_output_tokens") }),
  };
}

function numberOf(value: JsonObject, key: string): number | undefined {
  const field = value[key];
  return typeof field === "number" && field > 0 ? field : undefined;
}
