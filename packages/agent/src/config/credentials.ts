import { chmodSync, existsSync, mkdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readForeignText } from "@holdfast/core/node";

/** Where a person is at home. */
export interface PersonPlace {
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The folder of a person's own settings: `HOLDFAST_HOME`, else the one in the configuration folder of the desktop. */
export function userFolder({ home, environment }: PersonPlace): string {
  const { HOLDFAST_HOME: own = "", XDG_CONFIG_HOME: shared = "" } = environment;
  if (own !== "") return own;
  return join(shared === "" ? join(home, ".config") : shared, "holdfast");
}

/** The file of keys beside the settings, links resolved: for the person alone, and for no tool. */
export function credentialsPath(place: PersonPlace): string {
  const folder = userFolder(place);
  const path = join(existsSync(folder) ? realpathSync(folder) : folder, "credentials.json");
  return existsSync(path) ? realpathSync(path) : path;
}

/** The keys of providers by their names; none where there is no such file, or one that is no table of texts. */
export function readCredentials(place: PersonPlace): Readonly<Record<string, string>> {
  try {
    const read = readForeignText(credentialsPath(place), { limitBytes: 1 << 20 });
    const value: unknown = read.kind === "read" ? JSON.parse(read.text) : {};
    const isText = (entry: [string, unknown]): entry is [string, string] => typeof entry[1] === "string";
    return Object.fromEntries(Object.entries(Object(value)).filter(isText));
  } catch {
    return {};
  }
}

/** Keeps the key of a provider, or forgets it. The file is replaced in one step. Throws what the disk refuses. */
export function writeCredential(place: PersonPlace, provider: string, key: string | undefined): void {
  const path = credentialsPath(place);
  const { [provider]: _, ...others } = readCredentials(place);
  const keys = key === undefined ? others : { ...others, [provider]: key };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const stage = `${path}.${process.pid}`;
  writeFileSync(stage, `${JSON.stringify(keys, undefined, 2)}\n`, { mode: 0o600 });
  chmodSync(stage, 0o600);
  renameSync(stage, path);
}
