import { compileGlob, Workspace, type WorkspaceOptions } from "../../files/index.js";
import { isRefusal, type Refusal } from "../../files/values/index.js";
import { type OpenedPorts, openPorts, type PortOptions } from "./open.js";

/** The folders of a workspace, its guards and limits, and what a person has approved. */
export interface OpenWorkspaceOptions extends PortOptions, Omit<WorkspaceOptions, "allowsProtected"> {
  /** Globs of protected paths, relative to their root, that a person has opened for writing. */
  readonly allowProtected?: readonly string[];
  /** Globs of files, relative to their root, that are edited without a read: an agent's memory. */
  readonly memoryPaths?: readonly string[];
  /** Globs of files, relative to their root, that are written in place. */
  readonly inPlacePaths?: readonly string[];
}

/** A workspace on this machine's disk. */
export class OpenedWorkspace extends Workspace {
  readonly kind = "workspace";

  constructor(
    private readonly opened: OpenedPorts,
    options: WorkspaceOptions,
  ) {
    super(opened, options);
  }

  /** Lets the roots' handles go and ends the session. Idempotent. */
  async close(): Promise<void> {
    try {
      await this.letGo();
    } finally {
      await this.opened.close();
    }
  }
}

/**
 * Opens folders as one workspace: clears up after killed writes, starts a session.
 *
 * @returns `invalid_arguments` for a glob that is none, and what `openPorts` refuses: a root that is no folder or far
 *   too wide a one, a state folder of somebody else.
 */
export async function openWorkspace(options: OpenWorkspaceOptions): Promise<OpenedWorkspace | Refusal> {
  const { memoryPaths = [], inPlacePaths = [], allowProtected = [] } = options;
  const globs = [...memoryPaths, ...inPlacePaths, ...allowProtected];
  const flaw = (await Promise.all(globs.map(compileGlob))).find((glob) => glob.kind === "refusal");
  if (flaw !== undefined) return flaw;
  const ports = await openPorts(options);
  if (isRefusal(ports)) return ports;
  const isMemory = await matchesAny(memoryPaths);
  const isInPlace = await matchesAny(inPlacePaths);
  return new OpenedWorkspace(ports, {
    ...options,
    guards: { isMemory, isInPlace, ...options.guards },
    allowsProtected: await matchesAny(allowProtected),
  });
}

async function matchesAny(patterns: readonly string[]): Promise<(path: string) => boolean> {
  const globs = await Promise.all(patterns.map(compileGlob));
  return (path) => globs.some((glob) => glob.kind === "glob" && glob.matches(path));
}
