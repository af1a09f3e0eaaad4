import { isStored } from "../../conversation/journal/index.js";
import type { Media } from "../../conversation/values/index.js";
import type { MediaPart } from "../layout/content.js";
import { drop, type Layout } from "../layout/layout.js";

/** Media as parts; an empty one is left out, and said to be. */
export function mediaParts(
  layout: Layout,
  media: readonly Media[],
  nodeId: string,
): { readonly layout: Layout; readonly parts: readonly MediaPart[] } {
  if (media.length === 0) return { layout, parts: none };
  let next = layout;
  const parts = media.flatMap((one): readonly MediaPart[] => {
    if (isStored(one)) {
      const { mimeType, sha256, sizeBytes } = one;
      return [{ blobData: { mimeType, sha256, sizeBytes } }];
    }
    if (one.data !== "") return [{ inlineData: { mimeType: one.mimeType, data: one.data } }];
    next = drop(next, nodeId, "empty_media");
    return [];
  });
  return { layout: next, parts };
}

const none: readonly MediaPart[] = [];
