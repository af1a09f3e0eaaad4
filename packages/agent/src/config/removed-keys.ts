import { isObject } from "@holdfast/core/text";

/** Keys and variables that were settings once, each with what holds now: who still sets one is told so, and all else counts. */
export const removedKeys: Readonly<Record<string, string>> = {
  "tools.wire": "the flag --wire sets it for one run",
  "tools.resultContent": "the flag --result-content sets it for one run",
  "tools.rereadStub": "a repeated read always leaves out what the prompt shows already",
  "shell.outputChars": "30,000 characters are always shown, and read_output shows the rest",
  "context.deltaReads": "a read always leaves out what the prompt shows already",
  "context.keepMessages": "the last 20 messages always stay, up to 3 % of the trigger",
  "context.keepTokens": "the newest 3,000 tokens of results always stay",
  "context.keepShare": "the last messages always stay up to 3 % of the trigger",
  "context.workingSet": "the 6 files touched last always go last",
  "context.workingTokens": "3,000 tokens of the files touched last always go last",
  "context.paidAtLeast": "it is always 5,000 tokens, or context.clearAtLeast if that is set",
  "context.maxResultChars": "an output above 5,000 characters is always large",
  "context.payFrom": "it is always half of context.triggerTokens",
  "context.warnAt": "the model is always warned at 80 % of context.triggerTokens",
  "context.compactTailTokens": "20,000 tokens always stay, at most a quarter of context.compactAtTokens",
  "diagnostics.timeoutMs": "shell.timeoutMs says how long the check may run",
  "subAgents.maxDepth": "sub-agents never have sub-agents of their own",
  "subAgents.maxSteps": "a sub-agent always has 50 requests at most",
  "subAgents.maxAtOnce": "4 sub-agents of one answer always work at once",
  "files.apiFromBytes": "a file is always large from 32,768 bytes on",
  HOLDFAST_WIRE: "the flag --wire sets it for one run",
  HOLDFAST_RESULT_CONTENT: "the flag --result-content sets it for one run",
  HOLDFAST_SUMMARISER: "the key model.summariser sets it",
  HOLDFAST_SHELL_TIMEOUT_MS: "the key shell.timeoutMs sets it",
  HOLDFAST_FETCH_HOSTS: "the key fetch.allowedHosts sets it",
};

/** What is said of one of them. */
export const removedWords = (key: string) => `it is no setting any more: ${removedKeys[key]}`;

/** Takes those keys out of settings that nobody else holds yet. @returns the keys that were there. */
export function takeOutRemovedKeys(settings: unknown): readonly string[] {
  return Object.keys(removedKeys).filter((key) => {
    const [section = "", name = ""] = key.split(".");
    const inner = isObject(settings) ? settings[section] : undefined;
    return isObject(inner) && Object.hasOwn(inner, name) && Reflect.deleteProperty(inner, name);
  });
}
