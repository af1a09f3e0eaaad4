export type { AgentEvent, EndedCall, TurnEnd, TurnInput } from "./turn.js";
