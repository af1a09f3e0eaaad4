import { type ConversationContext, checkContents, providers, renderContext } from "@holdfast/core";

/**
 * What does not hold together where a branch is rendered: what cannot be shown, what cannot be done, and
 * what a provider would not take. That a call was interrupted is no such thing: sessions end where they end.
 */
export function checkRendering(context: ConversationContext): readonly string[] {
  const { contents, report } = renderContext(context);
  const dropped = report.dropped.filter(
    ({ what }) => what === "result_without_call" || what === "wrong_lines",
  );
  return [
    ...dropped.map(
      ({ nodeId, what }) => `node ${nodeId} is left out of what a model is shown: ${words(what)}`,
    ),
    ...report.ignored.map(
      ({ nodeId, reason }) => `what node ${nodeId} decides cannot be done: ${words(reason)}`,
    ),
    ...providers.flatMap((provider) =>
      checkContents(contents, provider).map(
        ({ content, message }) => `message ${content + 1} of the prompt for ${provider}: ${message}`,
      ),
    ),
  ];
}

function words(code: string): string {
  return code.replaceAll("_", " ");
}
