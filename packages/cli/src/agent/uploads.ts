import { setTimeout as wait } from "node:timers/promises";
import {
  type AgentSettings,
  type FileUploads,
  type GoogleAccount,
  type GoogleFiles,
  googleAccount,
  googleFilesClient,
} from "@holdfast/agent";
import { isRefusal } from "@holdfast/core/files/values";
import { openUploadFolder, sha256 } from "@holdfast/core/node";
import { defined } from "@holdfast/core/text";
import { absentAddon, loadAddon } from "../addons.js";
import { providersOf } from "./model.js";

/** The uploads of a run. */
export interface RunUploads {
  /** For the agent; absent where nothing is to be uploaded. */
  readonly uploads?: FileUploads;
  /** What a person should know before it begins. */
  readonly notices: readonly string[];
  /** Resolves when no upload is under way, or the signal comes. */
  idle(signal: AbortSignal): Promise<void>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** Where a run keeps what it uploaded, and whether it uploads at all. */
interface UploadPlace {
  readonly stateDir: string;
  /** Nothing is kept. */
  readonly isEphemeral: boolean;
  /** Its model is played, or is to be played again: what happens beside it would differ. */
  readonly isPlayed: boolean;
}

/** What the settings let a run upload. The account's files are opened with the first upload, and its SDK is loaded then. */
export async function runUploads(settings: AgentSettings, place: UploadPlace): Promise<RunUploads> {
  const { api } = settings.files ?? {};
  if (api === undefined || api === "off" || place.isPlayed) return noUploads;
  // Who asked for it is told at once; else it is loaded with the first upload.
  const isAbsent = api === "always" && (await loadAddon("google-files")) === undefined;
  let files: GoogleFiles | undefined;
  const open = async () => {
    const account = googleAccount(providersOf(settings).environment);
    const { headers } = settings.model?.providers?.google ?? {};
    if (account === undefined) return undefined;
    const addon = await loadAddon("google-files");
    files ??= addon?.openGoogleFiles(filesOf({ ...account, ...defined({ headers }) }, place));
    return files;
  };
  return {
    uploads: { open, digest: sha256, fromBytes: api === "always" ? 1 : largeBytes },
    notices: isAbsent ? [`files.api: ${absentAddon("google-files")}`] : [],
    idle: (signal) => Promise.race([files?.idle(), ended(signal)]).then(() => {}),
    close: async () => files?.close(),
  };
}

/** With `auto`, a file of so many bytes is uploaded. */
const largeBytes = 32_768;

const noUploads: RunUploads = { notices: [], idle: async () => {}, close: async () => {} };

function filesOf(account: GoogleAccount, { stateDir, isEphemeral }: UploadPlace) {
  const folder = isEphemeral ? undefined : openUploadFolder(digestOf(account), stateDir);
  const store = folder === undefined || isRefusal(folder) ? undefined : folder;
  return {
    client: (signal: AbortSignal) => googleFilesClient(account, signal),
    now: Date.now,
    sleep: (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal }),
    ...defined({ store }),
  };
}

/** Names an account without its key: nobody can make the key of it. */
function digestOf({ key, baseUrl = "" }: GoogleAccount): string {
  const text = JSON.stringify(["uploads", baseUrl, key]);
  return sha256(new TextEncoder().encode(text)).slice(0, 32);
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
