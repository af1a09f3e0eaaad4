import type { ChangedSettings, ChangeJson } from "./changed-settings.js";
import type { Setting } from "./clients.js";
import { wantedValue } from "./wanted-value.js";

/** Puts settings into the text of a file, in the language that its name says, or takes them out. */
export async function changeFile(
  path: string,
  text: string,
  settings: readonly Setting[],
  changeJson: ChangeJson,
): Promise<ChangedSettings> {
  if (!path.endsWith(".toml"))
    return changeJson(
      text,
      settings.map((setting) => ({ ...setting, merge: (present) => wantedValue(present, setting) })),
    );
  // One client has settings in TOML: the others are spared its library.
  const { changeToml } = await import("./change-toml.js");
  return changeToml(text, settings);
}

/** Whether a file of settings says nothing: no member and no comment. */
export function holdsNothing(text: string): boolean {
  return /^\ufeff?\s*(?:\{\s*\})?\s*$/.test(text);
}
