import type { HostTool } from "@holdfast/core/tools";
import * as z from "zod";
import { hostTool } from "./shell-tool.js";

/** The name of the tool by which a model hands in its plan, as Claude Code has it. */
export const planToolName = "exit_plan_mode";

const parameters = z.object({ plan: z.string().min(1) });

/** `exit_plan_mode`: hands in the plan with which plan mode ends. The gate of an agent answers it. */
export const planTool: HostTool<typeof parameters.shape> = hostTool({
  name: planToolName,
  // Listed it would be in each request of each mode.
  rare: true,
  title: "Hand in the plan",
  description: "In plan mode: the user approves your plan.",
  parameters,
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  summary: () => "Hand in the plan",
  run: async ({ plan }) => ({ code: "ok", text: "The user reads the plan.", final: plan }),
});
