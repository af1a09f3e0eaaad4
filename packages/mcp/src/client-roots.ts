import { isRefusal, type Refusal, type ToolWorkspace } from "@holdfast/core";
import type { Server } from "@modelcontextprotocol/server";
import * as z from "zod";

/**
 * Opens the workspace for a connection.
 *
 * @param roots the URIs of the roots that the client has; undefined where it names none.
 */
export type OpenFor = (roots: readonly string[] | undefined) => Promise<ToolWorkspace | Refusal>;

/**
 * The workspace of a connection whose client may name its roots, and may change them. They are asked for once the
 * connection stands, and again when the client says that they changed; only revisions before 2026-07-28 let a
 * server ask.
 */
export class ClientRoots {
  private opening: Promise<ToolWorkspace | Refusal> | undefined;
  private opened: ToolWorkspace | undefined;

  constructor(
    private readonly server: Server,
    private readonly open: OpenFor,
    private readonly onError: (error: unknown, where: string) => void,
  ) {
    server.oninitialized = () => void this.settle();
    server.setNotificationHandler("notifications/roots/list_changed", () => {
      this.opening = undefined;
      this.opened = undefined;
      void this.settle();
    });
  }

  /** The workspace, where it is open: then a call begins at once, in the order of arrival. */
  get now(): ToolWorkspace | undefined {
    return this.opened;
  }

  /** The workspace as soon as the roots are known. */
  settle(): Promise<ToolWorkspace | Refusal> {
    if (this.opening !== undefined) return this.opening;
    const opening: Promise<ToolWorkspace | Refusal> = this.askAndOpen().then((workspace) => {
      // Roots that changed meanwhile have an opening of their own.
      if (this.opening === opening && !isRefusal(workspace)) this.opened = workspace;
      return workspace;
    });
    this.opening = opening;
    return opening;
  }

  private async askAndOpen(): Promise<ToolWorkspace | Refusal> {
    return this.open(await this.ask());
  }

  private async ask(): Promise<readonly string[] | undefined> {
    if (this.server.getClientCapabilities()?.roots === undefined) return undefined;
    try {
      const { roots } = await this.server.request({ method: "roots/list" }, namedRoots, {
        timeout: patienceMs,
      });
      return roots.length === 0 ? undefined : roots.map(({ uri }) => uri);
    } catch (error) {
      this.onError(error, "roots");
      return undefined;
    }
  }
}

/** Whatever a client names: the library's own schema takes an answer with a root that is no file for none. */
const namedRoots = z.object({ roots: z.array(z.object({ uri: z.string() })) });

/** A client that says it has roots and does not name them is served without. */
const patienceMs = 10_000;
