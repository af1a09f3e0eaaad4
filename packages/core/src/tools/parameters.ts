import * as z from "zod";

/** Parameters that several tools have, described once. */
export const filePath = z
  .string()
  .min(1)
  .describe("Path of the file, relative to the workspace's root, or absolute inside it");

export const encoding = z
  .string()
  .exactOptional()
  .describe("Name of the file's encoding; only when the tool asked for it");
