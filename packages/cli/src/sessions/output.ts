import { type Refusal, refuse } from "@holdfast/core/files/values";
import type { Pace } from "@holdfast/core/text";
import { jsonLine } from "../answers/one-answer.js";
import { reportRefusal } from "../answers/report.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import { atPersonsPace } from "../shell/long-work.js";
import { interrupted } from "./open-store.js";
import { writeWhole } from "./whole-output.js";

/**
 * Writes what was exported to the file that `--output` names, which must not be there yet unless `--yes`
 * is given, or to standard output. Ctrl-C ends it: what the name stood for then stands as it was.
 *
 * @param count of the parts, for a person who waits.
 * @returns the exit code.
 */
export async function writeOut(call: Invocation, parts: Iterable<string>, count = 1): Promise<number> {
  const { flags, terminal, settings } = call;
  const { output } = flags;
  const doing = { doing: "Exporting" };
  if (output === undefined || output === "-") {
    const sink = (part: string) => terminal.out(part);
    const done = await atPersonsPace(call, doing, (pace) => writeParts(parts, { sink, pace, count }));
    return done === "written"
      ? exitCodes.success
      : interrupted({ ...call, settings: { ...settings, json: false } }, halfPrinted);
  }
  const isNew = flags.yes !== true;
  const refused = await atPersonsPace(call, doing, (pace) =>
    writeFile(output, parts, { isNew, pace, count }),
  );
  if (refused === "interrupted") {
    const stands = isNew ? "" : `, and ${JSON.stringify(output)} stands as it was`;
    return interrupted(call, `nothing was exported${stands}.`);
  }
  if (refused === undefined) {
    terminal.err(`Written: ${JSON.stringify(output)}\n`);
    return exitCodes.success;
  }
  const exitCode = reportRefusal(refused, terminal);
  if (settings.json)
    await terminal.out(jsonLine({ success: false, code: refused.code, message: refused.message }));
  return exitCode;
}

const halfPrinted = "what was printed is not the whole export.";

interface Writing {
  readonly pace: Pace;
  readonly count: number;
}

async function writeParts(
  parts: Iterable<string>,
  { sink, pace, count }: Writing & { readonly sink: (part: string) => Promise<unknown> },
): Promise<"written" | "interrupted"> {
  let done = 0;
  for (const part of parts) {
    await sink(part);
    done += 1;
    if (!(await pace({ done, of: count })) && done < count) return "interrupted";
  }
  return "written";
}

async function writeFile(
  name: string,
  parts: Iterable<string>,
  { isNew, ...writing }: Writing & { readonly isNew: boolean },
): Promise<Refusal | "interrupted" | undefined> {
  try {
    const done = await writeWhole({ name, isNew }, async (file) => {
      const sink = (part: string) => file.writeFile(part);
      return (await writeParts(parts, { ...writing, sink })) === "written";
    });
    return done === "written" ? undefined : done;
  } catch (error) {
    return refusalOf(name, error);
  }
}

/** By the codes of the system: what each is to whoever asked for the file. */
const refusals: readonly (readonly [codes: string, Refusal["code"], says: (name: string) => string])[] = [
  ["EEXIST", "exists", (name) => `There is a file ${name} already; --yes replaces it.`],
  ["ENOENT ENOTDIR", "file_missing", (name) => `There is no folder for ${name}.`],
  ["EISDIR", "is_directory", (name) => `${name} is a folder.`],
  ["ENXIO", "not_a_file", (name) => `${name} is no file; without --output it goes to standard output.`],
  ["ELOOP", "not_a_file", (name) => `${name} is links in a circle.`],
  ["ENAMETOOLONG", "invalid_arguments", (name) => `The name ${name} is too long.`],
  ["EACCES EPERM EROFS", "permission_denied", (name) => `${name} may not be written.`],
  ["ENOSPC EDQUOT", "disk_full", (name) => `There is no room left for ${name}.`],
];

function refusalOf(name: string, error: unknown): Refusal {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const [, refused, says] = refusals.find(([codes]) => codes.split(" ").includes(code)) ?? [];
  if (refused === undefined || says === undefined) throw error;
  return refuse(refused, says(JSON.stringify(name)));
}
