import { join } from "node:path";
import { afterThisTest } from "../../../../test/cleanups.js";
import { ProviderServer, type ServedAnswer, type Wire } from "../../../agent/test/loopback/index.js";
import { type Finished, Project, runHoldfast } from "../process.js";

/** A project, and the built program in it with a provider on loopback. */
export interface Provided {
  readonly project: Project;
  readonly server: ProviderServer;
  /** Where the program keeps its sessions, and this run's settings. */
  readonly home: Project;
  readonly env: Readonly<Record<string, string>>;
  run(
    args: readonly string[],
    input?: string,
    variables?: Readonly<Record<string, string>>,
  ): Promise<Finished>;
}

/** Opens the server, and names it to the program as its provider's users do. */
export async function provided(
  wire: Wire,
  script: readonly ServedAnswer[],
  files: Readonly<Record<string, string>>,
): Promise<Provided> {
  const server = await new ProviderServer(wire, script).open();
  afterThisTest(() => server.close());
  const [project, home] = [new Project(files), new Project()];
  const { key, url } = server;
  const name = `${wire.provider}/${wire.model}`;
  const providers = { [wire.provider]: { baseUrl: url, keyEnv: "LOOPBACK_KEY" } };
  home.put("settings.jsonc", JSON.stringify({ model: { name, providers } }));
  const env = {
    HOLDFAST_HOME: home.folder,
    HOME: home.folder,
    XDG_STATE_HOME: join(home.folder, "state"),
    LOOPBACK_KEY: key,
  };
  const run = (args: readonly string[], input = "", variables = {}) =>
    runHoldfast(args, { cwd: project.folder, env: { ...env, ...variables }, input });
  return { project, server, home, env, run };
}

/** The results of tools in a stream of JSON lines, in their order. */
export function resultsIn({ stdout }: Finished): readonly { readonly [name: string]: unknown }[] {
  const lines = stdout.trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "tool_result");
}
