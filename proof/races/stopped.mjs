// Takes the lock of a file, says so and stops, as a debugger or a suspended laptop does: `node stopped.mjs BASE`.
import { join } from "node:path";
import { built } from "../machine.mjs";

const [, , base = ""] = process.argv;
const { openPorts } = await import(built.node.replace(/index\.js$/, "workspace/open.js"));
const ports = await openPorts({ roots: [join(base, "root")], stateDir: join(base, "state") });
const lock = await ports.locks.acquire(join(base, "root", "f"), 1_000);
console.log(lock.kind);
process.kill(process.pid, "SIGSTOP");
console.log((await lock.held()) ? "held" : "lost");
await lock.release();
await ports.close();
