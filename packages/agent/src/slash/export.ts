import { debugOutline, debugYaml } from "@holdfast/core/context";
import { isRefusal } from "@holdfast/core/files/values";
import {
  type CommandHost,
  type CommandOutcome,
  type CommandSpec,
  type ExportForm,
  exportForms,
} from "./command.js";
import { refused, told, unavailable } from "./results.js";

/** `/export`, which is `/history export` as well. */
export const exportCommand: CommandSpec = {
  name: "export",
  usage: "[FILE] [--outline|--yaml|--json|--html]",
  says: "Writes the session as an outline, YAML, JSON or a page; without FILE it is shown.",
  options: { outline: "switch", yaml: "switch", json: "switch", html: "switch" },
  operands: { least: 0, most: 1 },
  operand: "path",
  run: async (given, host) => {
    const asked = exportForms.filter((form) => given.has(form));
    if (asked.length > 1) return refused("invalid_arguments", "One of --outline, --yaml, --json and --html.");
    const [form = formOf(given.text)] = asked;
    const text = await textAs(form, host);
    if (typeof text !== "string") return text;
    if (given.text === "") return told(`The session as ${form}:`, { text });
    if (host.writeNew === undefined) return unavailable("Writing a file");
    const written = await host.writeNew(given.text, text);
    if (typeof written !== "string") return refused(written.code, written.message);
    return told(`Written: ${written} (${form}).`, { data: { path: written, form } });
  },
};

/** What the end of a file's name asks for. */
function formOf(path: string): ExportForm {
  const ends: Readonly<Record<string, ExportForm>> = {
    yaml: "yaml",
    yml: "yaml",
    json: "json",
    html: "html",
  };
  return ends[path.split(".").at(-1) ?? ""] ?? "outline";
}

async function textAs(form: ExportForm, host: CommandHost): Promise<string | CommandOutcome> {
  const { context } = host.manager;
  if (form === "outline") return debugOutline(context, { reader: "person" });
  if (form === "yaml") return debugYaml(context);
  if (host.exportAs === undefined) return unavailable(`An export as ${form}`);
  const text = await host.exportAs(form);
  return typeof text !== "string" && isRefusal(text) ? refused(text.code, text.message) : text;
}
