import { machineIdentity, processStart } from "../disk/platform.js";

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
  own ??= { pid: process.pid, start: processStart("self") ?? "0", ...machineIdentity() };
  return own;
}

/** `unknown`: of another boot, container or machine; only its heartbeat can decide. */
export function livenessOf(identity: ProcessIdentity): "alive" | "dead" | "unknown" {
  const { boot, namespace } = ownIdentity();
  if (identity.boot !== boot || identity.namespace !== namespace) return "unknown";
  const start = processStart(identity.pid);
  if (start === undefined) return "dead";
  return start === identity.start ? "alive" : "dead";
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
