import type { Workspace } from "@holdfast/core/files";
import type { OutcomeCode } from "@holdfast/core/files/values";
import { isRefusal, type Refusal } from "@holdfast/core/files/values";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";

/** What the tools of a server are carried out on. */
export type ServedWorkspace = Pick<
  Workspace,
  "roots" | "run" | "begin" | "preview" | "list" | "makeFolder" | "info" | "readBytes"
>;

/**
 * Opens the workspace for a connection.
 *
 * @param roots the URIs of the roots that the client has; undefined where it names none.
 */
export type OpenFor = (roots: readonly string[] | undefined) => Promise<ServedWorkspace | Refusal>;

/** On which workspace a server works. */
export interface ServedOn {
  /** One for whatever the client says, or what opens one for the roots that the client names, and again where they change. */
  readonly workspace: ServedWorkspace | OpenFor;
  /**
   * How old the roots that a client of revision 2026-07-28 named must be, in milliseconds, for a call outside of them to be
   * answered with the question again: 30,000 unless given. Clients of older revisions say themselves when theirs change.
   */
  readonly rootsHoldMs?: number;
  /** Told what went wrong beside the protocol, for stderr or a log. Must not throw. */
  readonly onError?: (error: unknown, where: string) => void;
}

/** What a call is carried out on; why there is nothing; or what the client has to say before. */
type Footing = ServedWorkspace | Refusal | InputRequiredResult;

/** How a connection finds out, call by call, what the call is carried out on. */
interface Footings {
  footing(call: ServerContext["mcpReq"]): Footing | Promise<Footing>;
  /**
   * The question for the roots, in place of an answer with this code: the client may have others by now. Undefined where
   * the code is about no root, or their answer would be the same.
   */
  askAgain(code: OutcomeCode | undefined, call: ServerContext["mcpReq"]): InputRequiredResult | undefined;
}

/** How a connection finds out what its calls are carried out on. */
export function footingOf(
  server: Server,
  { workspace, rootsHoldMs = holdMs, onError = () => {} }: ServedOn,
): Footings {
  if (typeof workspace !== "function") return { footing: () => workspace, askAgain: () => undefined };
  return new ClientRoots(server, { open: workspace, holdMs: rootsHoldMs, onError });
}

interface RootsOptions {
  readonly open: OpenFor;
  readonly holdMs: number;
  readonly onError: (error: unknown, where: string) => void;
}

/**
 * The workspace of a connection whose client may name its roots, and may change them. Before revision 2026-07-28 they
 * are asked for once the connection stands, and again when the client says that they changed. Since then a server asks
 * nothing, and a client tells nothing, by itself: a call of a client that has roots is answered with the question, the
 * same call comes again with the answer. The answer holds until a call is about a file outside of it: a person sees each
 * question.
 */
class ClientRoots implements Footings {
  private opening: Promise<ServedWorkspace | Refusal> | undefined;
  private opened: ServedWorkspace | undefined;
  private heardMs: number | undefined;

  constructor(
    private readonly server: Server,
    private readonly options: RootsOptions,
  ) {
    server.oninitialized = () => void (this.opening ?? this.settle());
    server.setNotificationHandler("notifications/roots/list_changed", () => {
      void this.settle(this.ask());
    });
  }

  /** What one call is carried out on: at once where that is known, so that calls begin in the order of arrival. */
  footing(call: ServerContext["mcpReq"]): Footing | Promise<Footing> {
    if (hasRoots(call) && call.inputResponses !== undefined) return this.hear(call.inputResponses);
    if (hasRoots(call) && this.heardMs === undefined) return rootsQuestion;
    return this.opened ?? this.opening ?? this.settle();
  }

  askAgain(code: OutcomeCode | undefined, call: ServerContext["mcpReq"]): InputRequiredResult | undefined {
    if (code !== "outside_workspace" && code !== "root_changed") return undefined;
    const isOld = performance.now() - (this.heardMs ?? Number.NEGATIVE_INFINITY) >= this.options.holdMs;
    return isOld && hasRoots(call) && call.inputResponses === undefined ? rootsQuestion : undefined;
  }

  private async hear(responses: Readonly<Record<string, unknown>>): Promise<ServedWorkspace | Refusal> {
    const named = namedRoots.safeParse(responses[rootsKey]);
    if (!named.success) this.options.onError(new Error(noRootsNamed, { cause: named.error }), "roots");
    const workspace = await this.settle(Promise.resolve(named.success ? urisOf(named.data) : undefined));
    // Who is refused is asked again: meanwhile the roots may be others.
    this.heardMs = isRefusal(workspace) ? undefined : performance.now();
    return workspace;
  }

  /** Opens the workspace for these roots, in place of the present one. */
  private settle(roots = this.ask()): Promise<ServedWorkspace | Refusal> {
    this.opened = undefined;
    const opening: Promise<ServedWorkspace | Refusal> = roots.then(this.options.open).then((workspace) => {
      // Roots that changed meanwhile have an opening of their own.
      if (this.opening === opening && !isRefusal(workspace)) this.opened = workspace;
      return workspace;
    });
    this.opening = opening;
    opening.catch((error: unknown) => {
      this.options.onError(error, "roots");
      if (this.opening === opening) this.opening = undefined;
    });
    return opening;
  }

  private async ask(): Promise<readonly string[] | undefined> {
    if (this.server.getClientCapabilities()?.roots === undefined) return undefined;
    try {
      const timeout = patienceMs;
      return urisOf(await this.server.request({ method: "roots/list" }, namedRoots, { timeout }));
    } catch (error) {
      this.options.onError(error, "roots");
      return undefined;
    }
  }
}

/** Our name for the question, by which its answer comes back. */
const rootsKey = "roots";

const rootsQuestion = inputRequired({ inputRequests: { [rootsKey]: inputRequired.listRoots() } });

function hasRoots({ envelope }: ServerContext["mcpReq"]): boolean {
  return Object(Object(envelope)[CLIENT_CAPABILITIES_META_KEY]).roots !== undefined;
}

const noRootsNamed =
  "The client answers the question for its roots with no list of them; it is served without.";

/** Whatever a client names: the library's own schema takes an answer with a root that is no file for none. */
const namedRoots = z.object({ roots: z.array(z.object({ uri: z.string() })) });

function urisOf({ roots }: z.output<typeof namedRoots>): readonly string[] | undefined {
  return roots.length === 0 ? undefined : roots.map(({ uri }) => uri);
}

/** A client that says it has roots and does not name them is served without. */
const patienceMs = 10_000;

/** A client that is asked about the same path again and again names the same roots. */
const holdMs = 30_000;
