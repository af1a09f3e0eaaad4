import { parentPort, workerData } from "node:worker_threads";
import { answerSection, type SectionJob } from "../../patch/index.js";

// The thread that `openSections` starts: one job, one answer. `workerData` has no type; it is the job given there.
parentPort?.postMessage(await answerSection(workerData as SectionJob));
