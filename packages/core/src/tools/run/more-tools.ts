import * as z from "zod";
import type { OfferedTool } from "../../context/index.js";
import { clip, escapeForDisplay } from "../../text/index.js";
import { readOnlyAnnotations, refuseArguments } from "../tool/tool.js";
import type { HostTool } from "./host-tool.js";

/** The name of the tool by which those are found and called that a prompt does not list. */
export const moreToolsName = "more_tools";

const parameters = z.object({
  find: z.string().exactOptional().describe("Words; answers with schemas"),
  name: z.string().exactOptional().describe("To call one"),
  args: z.unknown().optional().meta({ type: "object" }),
});

/**
 * One tool in the place of many, so that a prompt is small and begins the same whatever is found: `find` answers with the
 * schemas of tools; `name` and `args` are a call of one, which `meantCall` reads. Nothing is called here.
 */
export function moreTools(others: readonly OfferedTool[]): HostTool<typeof parameters.shape> {
  const names = others.map(({ name }) => name.replace(/__.*/su, "__*"));
  return {
    kind: "host",
    name: moreToolsName,
    title: "Find other tools",
    description: `Finds and calls tools that are not listed: ${[...new Set(names)].join(", ")}.`,
    parameters,
    annotations: readOnlyAnnotations,
    // A call that came here was not read as one of another tool: it has arguments beside `args`.
    intent: (args) =>
      args.name === undefined
        ? {
            kind: "host_request",
            tool: moreToolsName,
            summary: `Find tools: ${args.find ?? ""}`,
            args,
          }
        : refuseArguments(
            `What ${clip(escapeForDisplay(args.name), 80)} takes belongs into args. Nothing was called.`,
          ),
    run: async ({ args: { find } }) => ({ code: "ok", text: foundWords(others, String(find ?? "")) }),
  };
}

/** Those that hold most of the words, with their schemas up to a bound; the names of all where none does. */
function foundWords(others: readonly OfferedTool[], find: string): string {
  const words = find.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const held = ({ name, description }: OfferedTool) =>
    words.filter((word) => `${name} ${description}`.toLowerCase().includes(word)).length;
  const found = others.filter((tool) => held(tool) > 0).sort((one, other) => held(other) - held(one));
  const shown = found.slice(0, mostShown).map((tool) => JSON.stringify(tool));
  const left = (found.length > 0 ? found.slice(mostShown) : others).map(({ name }) => name);
  return [...shown, ...(left.length === 0 ? [] : [`By name: ${left.join(", ")}`])].join("\n");
}

const mostShown = 8;
