import type { JsonObject, Media } from "@holdfast/core/conversation/values";
import { isBase64 } from "@holdfast/core/text";
import { objectOf, textOf } from "../lines/fields.js";

/**
 * The bytes of a block of a message or a result, in any of the forms in which agents keep them: Anthropic's
 * `source`, `data` and `mimeType` of pi and MCP, an embedded `resource` of MCP, `inlineData` of Gemini, data
 * URLs of OpenAI and opencode. What only names an address has none.
 *
 * @returns undefined where there are none, or where they are no Base64: then the block stays what it is.
 */
export function mediaOf(block: JsonObject): Media | undefined {
  for (const read of forms) {
    const media = read(block);
    if (media !== undefined && media.mimeType !== "" && media.data !== "" && isBase64(media.data))
      return media;
  }
  return undefined;
}

/** The text that stands in a block for itself: of a text, of a document of plain text, of an embedded resource. */
export function textIn(block: JsonObject): string | undefined {
  switch (block.type) {
    case "text":
    case "input_text":
    case "output_text":
      return textOf(block, "text");
    case "resource":
      return textOf(objectOf(block, "resource") ?? {}, "text");
    case "document": {
      const source = objectOf(block, "source");
      return source?.type === "text" ? textOf(source, "data") : undefined;
    }
    default:
      return undefined;
  }
}

type Form = (block: JsonObject) => { readonly mimeType: string; readonly data: string } | undefined;

const forms: readonly Form[] = [
  (block) => (isMedia(block) ? bytesIn(objectOf(block, "source") ?? block, "data") : undefined),
  (block) => (block.type === "resource" ? bytesIn(objectOf(block, "resource"), "blob") : undefined),
  (block) => bytesIn(objectOf(block, "inlineData") ?? objectOf(block, "inline_data"), "data"),
  (block) => soundIn(objectOf(block, "input_audio")),
  (block) => urlsOf(block).flatMap((url) => dataUrl(url) ?? [])[0],
];

function isMedia({ type }: JsonObject): boolean {
  return type === "image" || type === "audio" || type === "document" || type === "media";
}

function bytesIn(holder: JsonObject | undefined, key: string): ReturnType<Form> {
  const data = holder && textOf(holder, key);
  if (holder === undefined || data === undefined) return undefined;
  const mimeType = textOf(holder, "media_type") ?? textOf(holder, "mimeType") ?? textOf(holder, "mime_type");
  return mimeType === undefined ? undefined : { mimeType, data };
}

/** OpenAI's Chat Completions name a sound by its format alone. */
function soundIn(sound: JsonObject | undefined): ReturnType<Form> {
  const [data, format] = [sound && textOf(sound, "data"), sound && textOf(sound, "format")];
  return data === undefined || format === undefined ? undefined : { mimeType: `audio/${format}`, data };
}

/** Where data URLs stand: `image_url` (a text or an object), `file_data`, `url`. */
function urlsOf(block: JsonObject): readonly string[] {
  const image = objectOf(block, "image_url");
  const file = objectOf(block, "file");
  const urls = [
    textOf(block, "image_url"),
    image && textOf(image, "url"),
    textOf(block, "file_data"),
    file && textOf(file, "file_data"),
    isFile(block) ? textOf(block, "url") : undefined,
  ];
  return urls.filter((url) => url !== undefined);
}

function isFile({ type }: JsonObject): boolean {
  return type === "file" || type === "image";
}

function dataUrl(url: string): ReturnType<Form> {
  const comma = url.indexOf(",");
  const [, mimeType] = /^data:([^;,]+)(?:;[^,]*)?;base64$/.exec(url.slice(0, Math.max(comma, 0))) ?? [];
  return mimeType === undefined ? undefined : { mimeType, data: url.slice(comma + 1) };
}
