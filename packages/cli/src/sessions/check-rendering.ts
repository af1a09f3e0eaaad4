import { checkContents, providers, renderContext } from "@holdfast/core/context";
import { pathTo } from "@holdfast/core/conversation";
import { type ConversationContext, isPlaceholder } from "@holdfast/core/conversation/values";

/**
 * What does not hold together where a branch is rendered: what cannot be shown, what cannot be done, and
 * what a provider would not take. That a call was interrupted is no such thing: sessions end where they end.
 * Nor is a result whose call is lost, or a decision about what is lost: the placeholder above tells of it.
 */
export function checkRendering(context: ConversationContext): readonly string[] {
  const { contents, report } = renderContext(context);
  const isExplained = ({ nodeId }: { readonly nodeId: string }) => isBelowLost(context, nodeId);
  const dropped = report.dropped.filter(
    (one) => one.what === "wrong_lines" || (one.what === "result_without_call" && !isExplained(one)),
  );
  const ignored = report.ignored.filter((one) => !isExplained(one));
  return [
    ...dropped.map(
      ({ nodeId, what }) => `node ${nodeId} is left out of what a model is shown: ${words(what)}`,
    ),
    ...ignored.map(({ nodeId, reason }) => `what node ${nodeId} decides cannot be done: ${words(reason)}`),
    ...providers.flatMap((provider) =>
      checkContents(contents, provider).map(
        ({ content, message }) => `message ${content + 1} of the prompt for ${provider}: ${message}`,
      ),
    ),
  ];
}

function isBelowLost(context: ConversationContext, nodeId: string): boolean {
  return pathTo(context, nodeId).some(({ payload }) => isPlaceholder(payload));
}

function words(code: string): string {
  return code.replaceAll("_", " ");
}
