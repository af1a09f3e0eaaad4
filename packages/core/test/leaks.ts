import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { FileChange } from "../src/files/values/index.js";
import type { Ground } from "./support.js";

/** A text that stands nowhere but where the secret does. */
export const word = "hunter";
export const one = `TOKEN=${word}1\nMODE=x\n`;
export const two = `TOKEN=${word}2\nMODE=x\n`;

/** Files below a folder that hold the word. */
export function holding(folder: string): readonly string[] {
  const found = execFileSync("sh", ["-c", 'grep -rl "$2" "$1" || true', "sh", folder, word], {
    encoding: "utf8",
  });
  return found.split("\n").filter((path) => path !== "");
}

/** Names, relative to the state folder, of its files that hold the word outside the folder of secrets. */
export function leaks(on: Ground): readonly string[] {
  return holding(on.stateDir).filter((path) => !path.startsWith(join(on.stateDir, "secrets/")));
}

/** The same inside that folder. */
export function secretsOf(on: Ground): readonly string[] {
  return holding(on.stateDir).filter((path) => path.startsWith(join(on.stateDir, "secrets/")));
}

/** A rename without a change, as a part of a change set. */
export const rename = (path: string, to: string, base: string): FileChange => ({
  path,
  base,
  content: { kind: "same" },
  renameTo: to,
});
