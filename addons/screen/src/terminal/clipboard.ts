import { execFile } from "node:child_process";
import type { NamedResources } from "@holdfast/agent";
import { type Refusal, refuse } from "@holdfast/core/files/values";

/** Images that a person has taken from the clipboard into a prompt, where they are named `@clipboard:1`. */
export interface Clipboard {
  /** Takes the image that is in the clipboard now. @returns how it is named, or `not_found`. */
  take(): Promise<string | Refusal>;
  /** The resources that can be named, with these images among them. */
  within(others: NamedResources): NamedResources;
}

/** The clipboard of this system, read with the first tool of it that is there. */
export function systemClipboard(): Clipboard {
  const taken: Buffer[] = [];
  return {
    take: async () => {
      const bytes = await imageBytes();
      if (bytes === undefined) return noImage;
      taken.push(bytes);
      return `@${server}:${taken.length}`;
    },
    within: ({ servers, read }) => ({
      servers: [...servers, server],
      read: async (name, uri, signal) => {
        if (name !== server) return read(name, uri, signal);
        const data = taken[Number(uri) - 1]?.toString("base64");
        if (data === undefined) return refuse("not_found", `No image @${server}:${uri} was taken.`);
        return { kind: "resource", parts: [{ kind: "media", uri, media: { mimeType: "image/png", data } }] };
      },
    }),
  };
}

const server = "clipboard";
const noImage = refuse(
  "not_found",
  "The clipboard holds no image, or wl-paste, xclip or pngpaste is missing.",
);

/** Tools that print the image of a clipboard, of Wayland, X11 and macOS. */
const tools: readonly (readonly [program: string, ...args: readonly string[]])[] = [
  ["wl-paste", "--no-newline", "--type", "image/png"],
  ["xclip", "-selection", "clipboard", "-target", "image/png", "-out"],
  ["pngpaste", "-"],
];

async function imageBytes(): Promise<Buffer | undefined> {
  for (const [program, ...args] of tools) {
    const bytes = await printed(program, args);
    if (bytes.subarray(1, 4).toString("latin1") === "PNG") return bytes;
  }
  return undefined;
}

function printed(program: string, args: readonly string[]): Promise<Buffer> {
  const options = { encoding: "buffer", maxBuffer: 16 << 20, timeout: 3_000, killSignal: "SIGKILL" } as const;
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout) => resolve(error === null ? stdout : Buffer.alloc(0)));
  });
}
