import { setTimeout as wait } from "node:timers/promises";
import {
  type AgentSettings,
  type FileUploads,
  type GoogleAccount,
  type GoogleFiles,
  googleAccount,
  googleFilesClient,
  openGoogleFiles,
} from "@holdfast/agent";
import { isRefusal } from "@holdfast/core/files/values";
import { openUploadFolder, sha256 } from "@holdfast/core/node";
import { defined } from "@holdfast/core/text";
import { providersOf } from "./model.js";

/** The uploads of a run. */
export interface RunUploads {
  /** For the agent; absent where nothing is to be uploaded. */
  readonly uploads?: FileUploads;
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
export function runUploads(settings: AgentSettings, place: UploadPlace): RunUploads {
  const { api } = settings.files ?? {};
  if (api === undefined || api === "off" || place.isPlayed) return noUploads;
  let files: GoogleFiles | undefined;
  const open = () => {
    const account = googleAccount(providersOf(settings).environment);
    const { headers } = settings.model?.providers?.google ?? {};
    files ??= account && filesOf({ ...account, ...defined({ headers }) }, place);
    return files;
  };
  return {
    uploads: { open, digest: sha256, fromBytes: api === "always" ? 1 : largeBytes },
    idle: (signal) => Promise.race([files?.idle(), ended(signal)]).then(() => {}),
    close: async () => files?.close(),
  };
}

/** With `auto`, a file of so many bytes is uploaded. */
const largeBytes = 32_768;

const noUploads: RunUploads = { idle: async () => {}, close: async () => {} };

function filesOf(account: GoogleAccount, { stateDir, isEphemeral }: UploadPlace): GoogleFiles {
  const folder = isEphemeral ? undefined : openUploadFolder(digestOf(account), stateDir);
  const store = folder === undefined || isRefusal(folder) ? undefined : folder;
  return openGoogleFiles({
    client: (signal) => googleFilesClient(account, signal),
    now: Date.now,
    sleep: (ms, signal) => wait(ms, undefined, { signal }),
    ...defined({ store }),
  });
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
