import { parentPort } from "node:worker_threads";
import type { ContentJob } from "../../files/index.js";
import type { FileFindings } from "../../files/values/index.js";
import { byteFilter } from "./byte-filter.js";
import { FileScanner } from "./file-scanner.js";
import type { FoundInFile, WorkerAnswer, WorkerMessage } from "./worker-messages.js";

/** A thread that searches files: begun with a job, then handed paths that the other threads hold open. */
const port = parentPort;
if (port === null) throw new Error("this file is a worker of a search");
let scanner: FileScanner | undefined;

port.on("message", (message: WorkerMessage) => {
  if (message.kind === "begin") {
    const { job, until } = message;
    scanner = new FileScanner(job satisfies ContentJob, byteFilter(job), until);
    return;
  }
  const found: FoundInFile[] = [];
  for (const { path, names } of message.folders)
    for (const name of names) found.push(inShort(scanner?.scan(path + name)));
  port.postMessage({ kind: "found", id: message.id, found } satisfies WorkerAnswer);
});

function inShort(found: FileFindings | undefined): FoundInFile {
  const isPlain =
    found !== undefined &&
    found.lines + found.longLines === 0 &&
    found.skipped === undefined &&
    found.isCut !== true;
  return isPlain ? found.bytes : found;
}

port.postMessage({ kind: "ready" } satisfies WorkerAnswer);
