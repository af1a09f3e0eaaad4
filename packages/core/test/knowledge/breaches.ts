/** Kinds of knowledge that are wrong, each in one way, to see that the law of blind writes can fail. */
import type { CallKnowledge, FileName, KnownState } from "../../src/files/seen/index.js";
import type { Breach } from "./watched-talk.js";

/** Every state counts as shown, and every line of it. */
export const knowsEverything: Breach = knowing((real) => ({
  ...forwarding(real),
  find: (file, sha256) => ({
    version: 1,
    ...real.find(file, sha256),
    sha256,
    isSeen: true,
    lines: all,
    beforeCall: all,
    inPrompt: [],
  }),
}));

/** What was shown once counts wherever the head stands, as it would in a session. */
export const neverForgets: Breach = (manager) => {
  const states = new Map<string, KnownState>();
  const key = (file: FileName, sha256: string) => `${file.path} ${sha256}`;
  const remembering = knowing((real) => ({
    ...forwarding(real),
    find: (file, sha256) => {
      const found = real.find(file, sha256);
      const before = states.get(key(file, sha256));
      if (found?.isSeen === true && (before === undefined || found.beforeCall.length > 0))
        states.set(key(file, sha256), found);
      return states.get(key(file, sha256)) ?? found;
    },
  }));
  remembering(manager);
};

/** A whole replacement asks what was ever shown, not what the model saw when it wrote the call. */
export const asksTooLate: Breach = knowing((real) => ({
  ...forwarding(real),
  find: (file, sha256) => {
    const found = real.find(file, sha256);
    return found === undefined ? undefined : { ...found, beforeCall: found.lines };
  },
}));

/** One line of a file counts as all of it. */
export const takesPartsForAll: Breach = knowing((real) => ({
  ...forwarding(real),
  find: (file, sha256) => {
    const found = real.find(file, sha256);
    return found === undefined || found.lines.length === 0
      ? found
      : { ...found, lines: all, beforeCall: all };
  },
}));

const all = [{ from: 1, to: 1_000_000 }];

function knowing(wrong: (real: CallKnowledge) => CallKnowledge): Breach {
  return (manager) => {
    const { knowledge } = manager;
    const value = {
      forCall: (callNodeId: string) => {
        const real = knowledge.forCall(callNodeId);
        const asShown: typeof real.asShown = (lines) => real.asShown(lines);
        return { ...wrong(real), asShown };
      },
    };
    Object.defineProperty(manager, "knowledge", { value });
  };
}

function forwarding(real: CallKnowledge): CallKnowledge {
  return {
    find: (file, sha256) => real.find(file, sha256),
    latest: (file) => real.latest(file),
    states: (file) => real.states(file),
    learn: (event) => real.learn(event),
    end: (shown) => real.end(shown),
  };
}
