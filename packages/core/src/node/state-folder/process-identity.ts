import { isKnownIdentity, lookAtProcess, machineIdentity, unknownIdentity } from "../disk/platform.js";

/**
 * Who left a record in the state folder. A pid alone says little: it is used again after a while, after a
 * restart of the machine and in every container. So the start time, the boot and the namespace of
 * process numbers stand beside it.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string;
  readonly boot: string;
  readonly namespace: string;
}

let own: ProcessIdentity | undefined;

/** The identity of this process: a reused process id is another identity. */
export function ownIdentity(): ProcessIdentity {
  if (own !== undefined) return own;
  const { pid } = process;
  const look = lookAtProcess(pid);
  const found = {
    pid,
    start: look.kind === "runs" ? look.start : unknownIdentity.start,
    ...machineIdentity(),
  };
  // What could not be told now, for want of descriptors, may be told later.
  if (isKnownIdentity(found)) own = found;
  return found;
}

/**
 * `unknown`: of another boot, container or machine, or nothing can be told of it now; only its heartbeat can
 * decide.
 */
export function livenessOf(identity: ProcessIdentity): "alive" | "dead" | "unknown" {
  const { boot, namespace } = ownIdentity();
  if (!isKnownIdentity(identity) || identity.boot !== boot || identity.namespace !== namespace)
    return "unknown";
  const look = lookAtProcess(identity.pid);
  switch (look.kind) {
    case "gone":
      return "dead";
    case "unknown":
      return "unknown";
    case "runs":
      return look.start === identity.start ? "alive" : "dead";
    default:
      return look satisfies never;
  }
}

/** One line without spaces or slashes, for the text of a symbolic link. */
export function formatIdentity(identity: ProcessIdentity): string {
  return [identity.pid, identity.start, identity.boot, identity.namespace].join(":");
}

/** Reads what `formatIdentity` wrote; undefined for anything else. */
export function parseIdentity(text: string): ProcessIdentity | undefined {
  const [pid, start, boot, namespace, ...more] = text.split(":");
  if (pid === undefined || start === undefined || boot === undefined || namespace === undefined) {
    return undefined;
  }
  if (more.length > 0 || !/^[1-9]\d{0,9}$/.test(pid)) return undefined;
  return { pid: Number(pid), start, boot, namespace };
}
