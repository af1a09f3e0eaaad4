import type { SectionWorker } from "../../files/index.js";
import { refuse } from "../../files/values/index.js";
import type { SectionAnswer } from "../../patch/index.js";
import { startThread, threadFile } from "../disk/start-thread.js";
import { shortage } from "./late-parts.js";

/**
 * Sections of large Markdown documents in a thread of their own, one a job: it is ended with its answer, or when its
 * time is up, wherever the parser is then.
 *
 * @returns undefined where the program was bundled without the thread's file (`section-thread.js`): documents are
 *   then parsed at once.
 */
export function openSections(): SectionWorker | undefined {
  const file = threadFile("./section-thread.js", import.meta.url);
  if (file === undefined) return undefined;
  return {
    ask: (job, limitMs) =>
      new Promise((resolve, reject) => {
        // The thread opens files and channels of its own; what it could not open it says as a failure of this program.
        const notNow = shortage();
        if (notNow !== undefined) return resolve(notNow);
        const thread = startThread(file, { workerData: job });
        if (thread === undefined) return resolve(noThread);
        const end = (answer: () => void) => {
          clearTimeout(limit);
          void thread.terminate().then(answer, reject);
        };
        const late = () => end(() => resolve("late"));
        const limit = Number.isFinite(limitMs) ? setTimeout(late, limitMs) : undefined;
        // What the thread sends is what `answerSection` gave there.
        thread.once("message", (answer: SectionAnswer) => end(() => resolve(answer)));
        thread.once("error", (error) => end(() => reject(error)));
      }),
  };
}

const noThread = refuse(
  "busy",
  "The system gives this program no more threads to work on a large document. Nothing was done; ask again in a moment.",
);
