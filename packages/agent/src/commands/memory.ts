import type { CommandSpec } from "./command.js";
import { refused, told } from "./results.js";

/** Shows the memory file, pins it, lets it go. */
export const memoryCommand: CommandSpec = {
  name: "memory",
  usage: "[on|off]",
  says: "Shows the notes that outlast a conversation; makes and pins them, or takes them out of what the model sees.",
  operands: { least: 0, most: 1 },
  run: async ({ text: wanted }, { agent: { memory }, manager }) => {
    if (memory === undefined) return refused("unavailable", "The settings allow no memory file here.");
    if (wanted !== "" && wanted !== "on" && wanted !== "off")
      return refused("invalid_arguments", `It is "on" or "off", not "${wanted}".`);
    if (wanted === "off") memory.unpin();
    const flaw = wanted === "on" ? await memory.pin() : undefined;
    if (flaw !== undefined) return refused("unavailable", `The memory file cannot be made: ${flaw}`);
    const flushed = await manager.flush();
    if ("code" in flushed) return { kind: "refused", code: flushed.code, message: flushed.message };
    const { path, isPinned } = memory;
    const found = await memory.text();
    const data = { path, exists: found !== undefined, pinned: isPinned };
    if (found === undefined) return told(`There is no ${path} yet; /memory on makes it.`, { data });
    return told(`${path} is ${isPinned ? "before the model" : "not before the model"}:`, {
      data,
      text: found,
    });
  },
};
