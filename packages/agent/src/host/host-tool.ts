import type { HostRequest, HostScope, HostTool, HostToolResult } from "@holdfast/core/tools";
import type * as z from "zod";

/** A tool of the host's own. */
interface DeclaredTool<Shape extends z.ZodRawShape> extends Omit<HostTool<Shape>, "kind" | "intent" | "run"> {
  /** What a call is to do, in one line for a person who is asked. */
  readonly summary: (args: z.output<z.ZodObject<Shape>>) => string;
  /** Does it. @param args as the parameters have read them. */
  readonly run: (
    args: z.output<z.ZodObject<Shape>>,
    scope: HostScope,
    request: HostRequest,
  ) => Promise<HostToolResult>;
}

/** A tool whose request is its arguments, with a line for a person. */
export function hostTool<Shape extends z.ZodRawShape>({
  summary,
  run,
  ...tool
}: DeclaredTool<Shape>): HostTool<Shape> {
  const { name, parameters } = tool;
  return {
    ...tool,
    kind: "host",
    intent: (args) => ({ kind: "host_request", tool: name, summary: summary(args), args }),
    // A request holds the arguments as any data: what they are is read once more.
    run: (request, scope) => run(parameters.parse(request.args), scope, request),
  };
}
