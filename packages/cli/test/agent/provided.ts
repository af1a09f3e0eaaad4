import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { endProcess } from "../../../../test/end-process.js";
import { ProviderServer, type ServedAnswer, type Wire } from "../../../agent/test/loopback/index.js";
import { type Finished, Project, program, runHoldfast, type Surroundings } from "../process.js";

type Variables = Readonly<Record<string, string>>;

/** A project, and the built program in it. */
export interface Ground {
  readonly project: Project;
  /** Where the program keeps its settings and its sessions. */
  readonly home: Project;
  readonly env: Variables;
  /** Runs a command line to its end. */
  run(args: readonly string[], more?: Pick<Surroundings, "input" | "env" | "process">): Promise<Finished>;
  /** Starts it as a process of its own. */
  begin(args: readonly string[], stdio?: StdioOptions): ChildProcess;
}

export interface Scripted extends Ground {
  /** What the model plays in the runs from now on. */
  play(script: readonly object[]): void;
  /** The same, without a model. */
  readonly bare: Ground;
}

export interface Provided extends Ground {
  readonly server: ProviderServer;
}

/** The program with a model that plays a script, and with these settings. */
export function scripted(
  script: readonly object[],
  { files = {}, settings = {} }: { readonly files?: Variables; readonly settings?: object } = {},
): Scripted {
  const bare = groundOf(new Project(files), settings, {});
  const play = (answers: readonly object[]) => bare.home.put("script.json", JSON.stringify(answers));
  play(script);
  const flags = ["--script", join(bare.home.folder, "script.json")];
  return {
    ...bare,
    bare,
    play,
    run: (args, more) => bare.run([...args, ...flags], more),
    begin: (args, stdio) => bare.begin([...args, ...flags], stdio),
  };
}

/** The program with a provider on loopback, which it knows as that provider's users do. */
export async function provided(
  wire: Wire,
  script: readonly ServedAnswer[],
  files: Variables = {},
  { model = {}, ...settings }: { readonly model?: object; readonly [section: string]: unknown } = {},
): Promise<Provided> {
  const server = await new ProviderServer(wire, script).open();
  onTestFinished(() => server.close());
  const providers = { [wire.provider]: { baseUrl: server.url, keyEnv: "LOOPBACK_KEY" } };
  const name = `${wire.provider}/${wire.model}`;
  const all = { ...settings, model: { name, providers, ...model } };
  return { ...groundOf(new Project(files), all, { LOOPBACK_KEY: server.key }), server };
}

function groundOf(project: Project, settings: object, variables: Variables): Ground {
  const home = new Project({ "settings.jsonc": JSON.stringify(settings) });
  const env = {
    HOLDFAST_HOME: home.folder,
    HOME: home.folder,
    XDG_STATE_HOME: join(home.folder, "state"),
    // Whether bubblewrap is there decides no result: what is about the sandbox chooses it.
    HOLDFAST_SANDBOX: "off",
    ...variables,
  };
  const cwd = project.folder;
  return {
    project,
    home,
    env,
    run: (args, more = {}) => runHoldfast(args, { ...more, cwd, env: { ...env, ...more.env } }),
    begin: (args, stdio = "ignore") => {
      const all = { PATH: process.env.PATH ?? "", ...env };
      const child = spawn(process.execPath, [program, ...args], { cwd, env: all, stdio });
      onTestFinished(() => endProcess(child));
      return child;
    },
  };
}

/** What a run wrote with `-o stream-json`. */
export function linesOf({ stdout }: Finished): readonly { readonly [name: string]: unknown }[] {
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The results of tools in it, in their order. */
export const resultsIn = (ran: Finished) => linesOf(ran).filter(({ type }) => type === "tool_result");

export const call = (name: string, args: object = {}) => ({ name, args: { ...args } });
export const shell = (command: string, more: object = {}) => ({
  calls: [call("run_shell_command", { command, ...more })],
});
export const write = (path: string, content: string) => call("write_file", { file_path: path, content });
export const done = { text: "Done." };
