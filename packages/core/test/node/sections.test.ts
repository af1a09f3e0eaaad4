import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { answerSection, type SectionJob } from "../../src/patch/index.js";
import { turnsDuring } from "../turns.js";

/** A thread needs a file that Node can load: these tests use the builds. */
const built = (path: string) => new URL(path, import.meta.url);

const text = `# A\n\nold\n\n${"## B\n\nSome *words* of a paragraph.\n\n".repeat(4_000)}`;
const job: SectionJob = { kind: "update", text, edit: { header: "# A", content: "new", create: false } };

describe("a section of a large document", () => {
  it("is changed beside this thread, which has its turns meanwhile", async () => {
    const sections = await sectionsOfBuild();
    const { result, turns } = await turnsDuring(() => sections.ask(job, 60_000));
    expect(result).toEqual(await answerSection(job));
    // Here it would be a handful: one a step of the starting and ending.
    expect(turns).toBeGreaterThanOrEqual(40);
  });

  it("is given up when the time is up, wherever the parser is", async () => {
    expect(await (await sectionsOfBuild()).ask(job, 1)).toBe("late");
  });

  it.each(["../../dist/node/workspace/section-thread.js", "../../../cli/dist/bundle/section-thread.js"])(
    "has its thread in every build: %s",
    async (path) => {
      const thread = new Worker(fileURLToPath(built(path)), { workerData: job });
      onTestFinished(() => void thread.terminate());
      const answer = await new Promise((resolve, reject) => {
        thread.once("message", resolve);
        thread.once("error", reject);
      });
      expect(answer).toEqual(await answerSection(job));
    },
  );
});

async function sectionsOfBuild() {
  // The same module as in the sources, by another path, which the compiler does not follow.
  const path = built("../../dist/node/workspace/open.js").href;
  const { openSections }: typeof import("../../src/node/workspace/open.js") = await import(path);
  const sections = openSections();
  if (sections === undefined) throw new Error("the build has no thread for sections");
  return sections;
}
