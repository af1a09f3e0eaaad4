import { fileURLToPath } from "node:url";
import { readForeignText } from "@holdfast/core/node";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";

/** `holdfast completion SHELL`: the script of a shell, which `scripts/bundle.mjs` made from the table of the commands. */
export async function completionCommand({ args, terminal, misuse }: Invocation): Promise<number> {
  const [shell = ""] = args;
  if (!shells.includes(shell)) return misuse(`completion knows ${shells.join(", ")}`);
  const path = fileURLToPath(new URL(`completion.${shell}`, import.meta.url));
  const read = readForeignText(path, { limitBytes: 1 << 20 });
  if (read.kind !== "read") return misuse(`this build holds no completion of ${shell}`);
  await terminal.out(read.text);
  return exitCodes.success;
}

/** The shells whose scripts there are. */
const shells = ["bash", "zsh", "fish"];
