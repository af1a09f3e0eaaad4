import { type Case, checkGroups, claude, interrupted } from "./cases.js";
import { call, model, result, Tree, user } from "./support.js";

const messages: readonly Case[] = [
  {
    name: "an empty session says nothing and is not ready",
    tree: () => new Tree(),
    shows: [],
    reports: { ready: false, parts: 0 },
  },
  {
    name: "messages of the same side become one content",
    tree: () => new Tree().add("a", user("one")).add("b", user("two")),
    shows: ["U one", "  two"],
    reports: { ready: true },
  },
  {
    name: "thoughts stand before the text, the signature on the thought",
    tree: () =>
      new Tree()
        .add("u", user("hi"))
        .add("m", model("yes", { thought: "hm", redactedThought: "r", signature: "s" })),
    shows: ["U hi", "M thought hm ~s", "  redacted r", "  yes"],
    reports: { ready: false, provisional: false },
  },
  {
    name: "without a thought the signature is the text's",
    tree: () => new Tree().add("u", user("hi")).add("m", model("yes", { signature: "s" })),
    shows: ["U hi", "M yes ~s"],
  },
  {
    name: "a thought that leads to nothing is left out and reported",
    tree: () =>
      new Tree()
        .add("u", user("hi"))
        .add("m", model("", { thought: "hm" }))
        .add("v", user("go")),
    shows: ["U hi", "  go"],
    reports: { dropped: [{ nodeId: "m", what: "thought_alone" }] },
  },
  {
    name: "a signature without words stays behind the words of its answer",
    tree: () =>
      new Tree()
        .add("u", user("hi"))
        .add("a", model("yes", { step: "1" }))
        .add("b", model("", { signature: "s", step: "1" })),
    shows: ["U hi", "M yes", "   ~s"],
    reports: { dropped: [] },
  },
  {
    name: "a thought waits for the call that it led to",
    tree: () =>
      new Tree()
        .add("u", user("hi"))
        .add("m", model("", { thought: "hm", step: "1" }))
        .add("c", call("A", { step: "1" }))
        .add("r", result("A", "ok")),
    shows: ["U hi", "M thought hm", "  call A", "U result A: ok"],
    reports: { ready: true, dropped: [] },
  },
  {
    name: "blank texts are left out and reported",
    tree: () => new Tree().add("a", user(" \n")).add("b", user("hi")),
    shows: ["U hi"],
    reports: { dropped: [{ nodeId: "a", what: "empty_text" }] },
  },
  {
    name: "media follow the text; a message of media alone is no blank one",
    tree: () =>
      new Tree().add("a", { kind: "user_message", text: "", media: [{ mimeType: "image/png", data: "AA" }] }),
    shows: ["U media image/png"],
    reports: { dropped: [] },
  },
  {
    name: "a model that speaks first gets an opening",
    tree: () => new Tree().add("m", model("hello")),
    shows: ["U [The conversation before this point is not part of this prompt.]", "M hello"],
    reports: { repairs: [{ what: "opening", nodeId: "m", part: 0 }] },
  },
  {
    name: "two answers of the model are kept apart",
    tree: () =>
      new Tree()
        .add("u", user("hi"))
        .add("m", model("one", { step: "1" }))
        .add("n", model("two", { step: "2" })),
    shows: ["U hi", "M one", "U [Go on.]", "M two"],
    reports: { repairs: [{ what: "between_answers", nodeId: "n", part: 2 }] },
  },
  {
    name: "notes for the model are said, notes for a person and unknown kinds are not",
    tree: () =>
      new Tree()
        .add("a", { kind: "note", text: "for you", audience: "model" })
        .add("b", { kind: "note", text: "for her", audience: "person" })
        .add("c", { kind: "unknown", type: "later", data: {} })
        .add("d", { kind: "context_management", action: "track_file", path: "a" }),
    shows: ["U for you"],
  },
  {
    name: "hidden nodes are left out and reported",
    tree: () => new Tree().add("a", user("one"), { isHiddenFromLlm: true }).add("b", user("two")),
    shows: ["U two"],
    reports: { dropped: [{ nodeId: "a", what: "hidden" }] },
  },
];

const calls: readonly Case[] = [
  {
    name: "results follow in the order of the calls, before what came in between",
    tree: () =>
      new Tree()
        .add("u", user("hi"))
        .add("a", call("A", { step: "1" }))
        .add("b", call("B", { step: "1" }))
        .add("n", { kind: "note", text: "meanwhile", audience: "model" })
        .add("rb", result("B", "b"))
        .add("ra", result("A", "a", { isError: true })),
    shows: ["U hi", "M call A", "  call B", "U error A: a", "  result B: b", "  meanwhile"],
    reports: { ready: true, provisional: false, repairs: [] },
  },
  {
    name: "at the head, open calls are closed for now",
    tree: () =>
      new Tree().add("u", user("hi")).add("a", call("A")).add("b", call("B")).add("r", result("B", "b")),
    shows: ["U hi", "M call A", "  call B", `U error A: ${interrupted}`, "  result B: b"],
    reports: { ready: false, provisional: true, stableParts: 3, parts: 5 },
  },
  {
    name: "a call that is open when the user speaks is interrupted, and its late result left out",
    tree: () => new Tree().add("a", call("A")).add("u", user("stop")).add("r", result("A")),
    shows: [
      "U [The conversation before this point is not part of this prompt.]",
      "M call A",
      `U error A: ${interrupted}`,
      "  stop",
    ],
    reports: {
      ready: true,
      repairs: [{ what: "opening" }, { what: "interrupted", nodeId: "a", part: 2 }],
      dropped: [{ nodeId: "r", what: "result_without_call" }],
    },
  },
  {
    name: "ids that come again are numbered",
    tree: () =>
      new Tree()
        .add("u", user("hi"))
        .add("a", call("A"))
        .add("ra", result("A", "1"))
        .add("b", call("A"))
        .add("rb", result("A", "2")),
    shows: ["U hi", "M call A", "U result A: 1", "M call A-2", "U result A-2: 2"],
    reports: { repairs: [{ what: "renumbered", nodeId: "b", part: 3 }] },
  },
  {
    name: "a hidden result leaves a placeholder",
    tree: () =>
      new Tree().add("u", user("hi")).add("a", call("A")).add("r", result("A"), { isHiddenFromLlm: true }),
    shows: ["U hi", "M call A", "U result A: [The output of this call is hidden.]"],
    reports: { ready: true, repairs: [{ what: "placeholder", nodeId: "r", part: 2 }] },
  },
  {
    name: "a hidden call takes its result with it",
    tree: () =>
      new Tree().add("u", user("hi")).add("a", call("A"), { isHiddenFromLlm: true }).add("r", result("A")),
    shows: ["U hi"],
    reports: { ready: true, dropped: [{ nodeId: "a" }, { nodeId: "r", what: "result_of_hidden_call" }] },
  },
];

const origins: readonly Case[] = [
  {
    name: "thoughts of another model are left out for a target, kept without",
    tree: () =>
      new Tree()
        .add("u", user("hi"))
        .add("m", model("yes", { thought: "hm", signature: "s", from: { provider: "google", model: "g" } })),
    options: { target: claude },
    shows: ["U hi", "M yes"],
    reports: { dropped: [{ nodeId: "m", what: "foreign_thought" }] },
  },
  {
    name: "a signature of a call goes with the thoughts of its model",
    tree: () =>
      new Tree()
        .add("u", user("hi"))
        .add("a", call("A", { signature: "s", from: { provider: "google", model: "g" } }))
        .add("r", result("A", "ok")),
    options: { target: claude },
    shows: ["U hi", "M call A", "U result A: ok"],
  },
];

checkGroups({ messages, "calls and results": calls, "thoughts and their origin": origins });
