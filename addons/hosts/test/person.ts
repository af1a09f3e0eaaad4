import { type Finished, Project } from "../../../packages/cli/test/process.js";
import type { SetupWishes } from "../src/setup/client-settings.js";

/** What is wished of a setup for a person, the tools alone. */
export const wishesFor = (wishes: Pick<SetupWishes, "client" | "guard" | "program">): SetupWishes => ({
  ...wishes,
  project: false,
  tools: true,
  allowReads: false,
  acceptEdits: false,
});

/** A home folder with settings, in which the person's shell stands, too. */
export class Person extends Project {
  setUp(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    cwd: string = this.folder,
  ): Promise<Finished> {
    return this.run(["setup", ...args], { env: { HOME: this.folder, ...env }, cwd });
  }
}
