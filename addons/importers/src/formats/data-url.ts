import type { JsonObject } from "@holdfast/core/conversation/values";

/** An image or a document that an address holds in itself (`data:`), as a block that `mediaOf` reads. */
export function blockOfDataUrl(url: string, mimeType?: string): JsonObject | undefined {
  const comma = url.indexOf(",");
  const head = url.slice(0, comma);
  if (comma < 0 || !head.startsWith("data:") || !head.endsWith(";base64")) return undefined;
  const [named = ""] = head.slice("data:".length).split(";");
  return {
    type: "image",
    mimeType: mimeType ?? (named || "application/octet-stream"),
    data: url.slice(comma + 1),
  };
}
