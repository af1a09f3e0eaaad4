import { readInputText } from "../shell/input.js";
import type { Invocation } from "../shell/invocation.js";
import { changeFile, checkBaseFlags, refuseChange, writeOptions } from "./changing.js";

/** `holdfast append FILE [CONTENT|-]`: needs no base. */
export async function appendCommand(call: Invocation): Promise<number> {
  const [path = "", input] = call.args;
  return withContent(call, path, input, (content) => {
    const request = { path, content, tool: "holdfast append", ...writeOptions(call.flags) };
    return changeFile(call, (workspace) => workspace.append(request));
  });
}

/** `holdfast prepend FILE [CONTENT|-]`: needs no base. */
export async function prependCommand(call: Invocation): Promise<number> {
  const [path = "", input] = call.args;
  return withContent(call, path, input, (content) => {
    const request = { path, content, tool: "holdfast prepend", ...writeOptions(call.flags) };
    return changeFile(call, (workspace) => workspace.prepend(request));
  });
}

/** `holdfast insert FILE LINE [CONTENT|-]`: the line counts in the state that --base names. */
export async function insertCommand(call: Invocation): Promise<number> {
  const [path = "", line = "", input] = call.args;
  if (!/^\d{1,9}$/.test(line)) return call.misuse("the line is a whole number from 0 (the top) up");
  return withContent(call, path, input, (content) => {
    const place = { path, afterLine: Number(line), content, tool: "holdfast insert" };
    const request = { ...place, ...writeOptions(call.flags) };
    return changeFile(call, (workspace) => workspace.insertLines(request));
  });
}

/** `holdfast section FILE HEADING [CONTENT|-]`: needs no base. */
export async function sectionCommand(call: Invocation): Promise<number> {
  const [path = "", sectionHeader = "", input] = call.args;
  return withContent(call, path, input, (newContent) => {
    const section = { path, sectionHeader, newContent, tool: "holdfast section" };
    const create = call.flags.create === true;
    const request = { ...section, create, ...writeOptions(call.flags) };
    return changeFile(call, (workspace) => workspace.updateSection(request));
  });
}

/** Reads the text that the command adds. @returns the exit code. */
async function withContent(
  call: Invocation,
  path: string,
  input: string | undefined,
  work: (content: string) => Promise<number>,
): Promise<number> {
  checkBaseFlags(call);
  const content = await readInputText(input);
  return typeof content === "string" ? work(content) : refuseChange(call, path, content);
}
