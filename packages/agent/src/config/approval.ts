/** How much an agent may do by itself (page 6, "Approval"), from least to most. */
export const approvalModes = ["plan", "ask", "auto-edit", "yolo"] as const;

/**
 * `plan`: nothing is changed, and commands can write nothing, until a person approves a plan. `ask`: a person is asked about each change and each command.
 * `auto-edit`: changes of files are made, commands are asked about. `yolo`: nothing is asked but for consents. No mode lets a write to a
 * protected path through by itself.
 */
export type ApprovalMode = (typeof approvalModes)[number];

/** A rule of the settings about one tool, or one tool on some paths; the first that fits decides. */
export interface ApprovalRule {
  /** The tool's name as the model calls it; `*` stands for any run of characters. */
  readonly tool: string;
  /** A glob: the rule allows calls whose every file fits it; it denies, or asks about, those of which any does. */
  readonly path?: string;
  /** Words of a command. A rule that denies or asks is about what begins so; one that allows, about no more unless it ends in ` *`. */
  readonly command?: string;
  readonly decision: "allow" | "ask" | "deny";
}
