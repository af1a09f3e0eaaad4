/**
 * Runs command lines one after the other in one process, so that the program is loaded once (`command-loop.ts` starts
 * this file). Each command line finds what a process of its own would find: arguments, folder, variables, standard
 * input, and no listener of the command before it. A command that ends the process ends this one.
 */
import { createRequire } from "node:module";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";

const [, , program, bundle] = process.argv;
let run = 0;
createRequire(bundle)("./program.cjs");

process.on("disconnect", () => process.exit());
process.on("message", async ({ args, cwd, env, input }) => {
  const before = {
    listeners: listenersNow(),
    out: process.stdout.bytesWritten,
    err: process.stderr.bytesWritten,
  };
  const resources = countedResources();
  surround({ args, cwd, env, input });
  await import(`${bundle}?${++run}`);
  while (hasMore(countedResources(), resources)) await setTimeout(1);
  const code = process.exitCode ?? 0;
  takeListenersAway(before.listeners, code);
  process.chdir("/");
  process.exitCode = undefined;
  process.send({
    code,
    out: process.stdout.bytesWritten - before.out,
    err: process.stderr.bytesWritten - before.err,
  });
});

function surround({ args, cwd, env, input }) {
  process.argv = [process.execPath, program, ...args];
  process.chdir(cwd);
  // Node's own parts and the C library read the true environment.
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const stdin = Readable.from(input.length > 0 ? [Buffer.from(input)] : [], { objectMode: false });
  Object.defineProperty(process, "stdin", { value: stdin, configurable: true });
  process.exitCode = undefined;
}

function listenersNow() {
  const emitters = [process, process.stdout, process.stderr];
  return emitters.map((emitter) => ({
    emitter,
    names: new Map(emitter.eventNames().map((name) => [name, new Set(emitter.rawListeners(name))])),
  }));
}

/** What waits for the end of the process gets it. */
function takeListenersAway(before, code) {
  for (const { emitter, names } of before) {
    for (const name of emitter.eventNames()) {
      for (const listener of emitter.rawListeners(name)) {
        if (names.get(name)?.has(listener)) continue;
        if (emitter === process && name === "exit") listener.call(process, code);
        emitter.removeListener(name, listener.listener ?? listener);
      }
    }
  }
}

/** A process ends when nothing keeps it alive any more. */
function countedResources() {
  const counts = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function hasMore(now, before) {
  return Object.entries(now).some(([name, count]) => count > (before[name] ?? 0));
}
