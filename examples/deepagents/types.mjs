/** Never run: what the adapters make is held against the types of the frameworks. */
import { HoldfastBackend, holdfastTools } from "@holdfast/adapters/deepagents";
import { createAgent, tool } from "langchain";

/** @type {(backend: HoldfastBackend) => import("deepagents").BackendProtocolV2} */
export const asBackend = (backend) => backend;

/** @type {(workspace: Parameters<typeof holdfastTools>[0]) => unknown} */
export const asAgent = (workspace) => createAgent({ model: "any", tools: holdfastTools(workspace, tool) });
