import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { quietly } from "@holdfast/agent/host";

/**
 * The environment of a command inside: without what leads to a program of the person's, by its name or because it names a
 * socket.
 *
 * @param allowed names of variables that are kept all the same, and paths of sockets that may be named.
 */
export function environmentInside(
  environment: Readonly<Record<string, string>>,
  allowed: readonly string[],
): Record<string, string> {
  const isKept = ([name, value]: readonly [name: string, value: string]) =>
    allowed.includes(name) ||
    (!leading.test(name) && socketsIn(value).every((path) => allowed.includes(path)));
  return Object.fromEntries(Object.entries(environment).filter(isKept));
}

/** Of those that name no socket by its path. */
const leading =
  /^(?:DBUS_\w+|XDG_RUNTIME_DIR|(?:WAYLAND_)?DISPLAY|XAUTHORITY|TMUX\w*|STY|SSH_A\w+|GPG_AGENT_INFO)$/u;

/** Sockets on which somebody listens in this net, by their real paths. No mount that is read-only keeps one away. */
export function listeningSockets(): readonly string[] {
  const lines = (quietly(() => readFileSync("/proc/net/unix", "utf8")) ?? "").split("\n");
  const named = lines.flatMap((line) => /^(?:\S+\s+){7}(\/.*)$/u.exec(line)?.[1] ?? []);
  return [...new Set(named.flatMap(socketAt))];
}

/** The sockets that a text names, such as the value of a variable: `unix:path=/run/x,guid=…`. */
export function socketsIn(text: string): readonly string[] {
  return text.split(/[,;:=\s]+/u).flatMap(socketAt);
}

function socketAt(path: string): readonly string[] {
  const real = path.startsWith("/") ? quietly(() => realpathSync.native(path)) : undefined;
  return real !== undefined && quietly(() => lstatSync(real).isSocket()) === true ? [real] : [];
}
