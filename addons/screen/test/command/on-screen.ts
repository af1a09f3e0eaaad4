import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Ground } from "../../../../packages/cli/test/agent/provided.js";
import { program } from "../../../../packages/cli/test/process.js";
import { afterThisTest } from "../../../../test/cleanups.js";
import { has } from "../../../../test/tools.js";
import { until } from "../../../../test/until.js";
import { allTold } from "./tmux.js";

export const hasTmux = has("tmux");

/** The program in a terminal that can be looked at: what stands on its screen, whatever was written there before. */
export interface Screen {
  /** The lines on the screen. @param isColoured with the codes of colours. */
  lines(isColoured?: boolean): readonly string[];
  /** Waits until the screen shows this. */
  until(words: string | RegExp): Promise<void>;
  type(line: string): void;
}

interface Window {
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `holdfast` in a terminal of its own. */
export function onScreen(
  { project, env }: Pick<Ground, "project" | "env">,
  args: readonly string[],
  { columns = 90, env: more = {} }: Window = {},
): Screen {
  allTold(env);
  const place = mkdtempSync(join(tmpdir(), "holdfast-screen-"));
  const tmux = (...words: readonly string[]) =>
    execFileSync("tmux", ["-S", join(place, "tmux"), "-f", "/dev/null", ...words], { encoding: "utf8" });
  const variables = { PATH: process.env.PATH ?? "", TERM: "screen", LANG: "C.UTF-8", ...env, ...more };
  const given = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const command = ["env", "-i", ...given, process.execPath, program, ...args].map((part) => `'${part}'`);
  afterThisTest(() => {
    tmux("kill-server");
    rmSync(place, { recursive: true, force: true });
  });
  const size = ["-x", `${columns}`, "-y", "40", "-c", project.folder];
  tmux("-u", "new-session", "-d", ...size, `${command.join(" ")}; echo "ended $?"; sleep 600`);
  const lines: Screen["lines"] = (isColoured = false) =>
    tmux("capture-pane", "-p", ...(isColoured ? ["-e"] : []), "-S", "-").split("\n");
  return {
    lines,
    until: (words) =>
      until(
        () => {
          const shown = lines().join("\n");
          return typeof words === "string" ? shown.includes(words) : words.test(shown);
        },
        () => `never shown: ${words}\n${lines().join("\n")}`,
      ),
    type: (line) => void tmux("send-keys", line, "Enter"),
  };
}
