import type { ResultContent, ToolName, ToolWorkspace, WireForm } from "@holdfast/core";

export interface McpOptions {
  readonly workspace: ToolWorkspace;
  /** The tools to offer; those of the catalogue's default unless given. They are listed in their own order, whatever this one's. */
  readonly tools?: readonly ToolName[];
  /** Offer only the tools that change nothing; the others are refused with `read_only`. */
  readonly readOnly?: boolean;
  /** `text` unless given. */
  readonly wire?: WireForm;
  /** `auto` unless given. */
  readonly resultContent?: ResultContent;
  /**
   * Small acknowledgements come as JSON, and the same JSON as `structuredContent`. Replies that hold text
   * of files stay text only: some clients show a model nothing but the one, some nothing but the other.
   */
  readonly structured?: boolean;
  /** What the server calls itself. */
  readonly version?: string;
  /** Told what went wrong beside the protocol, for stderr or a log. Must not throw. */
  readonly onError?: (error: unknown, where: string) => void;
}
