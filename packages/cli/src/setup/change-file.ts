import { type ChangedSettings, changeSettings } from "./change-settings.js";
import type { Setting } from "./clients.js";

/** Puts settings into the text of a file, in the language that its name tells, or takes them out. */
export async function changeFile(
  path: string,
  text: string,
  settings: readonly Setting[],
): Promise<ChangedSettings> {
  if (!path.endsWith(".toml")) return changeSettings(text, settings);
  // One client has settings in TOML: the others are spared its library.
  const { changeToml } = await import("./change-toml.js");
  return changeToml(text, settings);
}

/** Whether a file of settings says nothing: no member and no comment. */
export function holdsNothing(text: string): boolean {
  return /^\ufeff?\s*(?:\{\s*\})?\s*$/.test(text);
}
