import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import { readForeign } from "@holdfast/core/node";
import { causeOf } from "@holdfast/core/text";
import { endFamily, markerName } from "./processes.js";

/** What a person edits, and with what. */
interface EditRequest {
  readonly text: string;
  /** Its end tells the editor the language: `proposal.ts`. Its letters are made plain. */
  readonly name?: string;
  /** Where the editor's name is looked up, `VISUAL`, then `EDITOR`: this process's own unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** A folder in which a private one is made for the time, the system's unless given. It has to exist. */
  readonly tempDir?: string;
  readonly signal?: AbortSignal | undefined;
}

/** The text as the person left it. */
export interface EditedText {
  readonly kind: "edited";
  readonly text: string;
  readonly isChanged: boolean;
}

/**
 * Opens the person's editor on a text, on the terminal of this process, and waits until it is closed.
 *
 * @returns `not_found` where no editor is named or it cannot be started, `cancelled` where the signal ended it,
 *   `not_applied` where its file cannot be made or the editor failed (an editor's way to say no), `undecodable` where it left
 *   no UTF-8.
 */
export async function editText(request: EditRequest): Promise<EditedText | Refusal> {
  const { VISUAL: visual, EDITOR: editor } = request.environment ?? process.env;
  const command = visual?.trim() || editor?.trim();
  if (command === undefined || command === "")
    return refuse(
      "not_found",
      "No editor is named. Set VISUAL or EDITOR, such as EDITOR=vim or EDITOR='code --wait'.",
    );
  const file = fileOf(request);
  if (isRefusal(file)) return file;
  try {
    const failure = await runEditor(command, file.path, request);
    return failure ?? editedText(file.path, request.text);
  } finally {
    rmSync(file.folder, { recursive: true, force: true });
  }
}

function fileOf({ text, name, tempDir = tmpdir() }: EditRequest) {
  let folder = "";
  try {
    folder = mkdtempSync(join(tempDir, "edit-"));
    const path = join(folder, plainFileName(name));
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return { folder, path };
  } catch (error) {
    if (folder !== "") rmSync(folder, { recursive: true, force: true });
    return refuse("not_applied", `The editor got no file: ${causeOf(error)}.`);
  }
}

function plainFileName(name = "text.txt"): string {
  const plain = name.replace(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "");
  return plain === "" ? "text.txt" : plain.slice(-100);
}

function runEditor(
  command: string,
  path: string,
  { environment = process.env, signal }: EditRequest,
): Promise<Refusal | undefined> {
  return new Promise((resolve) => {
    // The variable holds a command with its flags: the shell takes it apart, as git has it.
    const isWindows = process.platform === "win32";
    const [program, args] = isWindows
      ? [`${command} "${path}"`, []]
      : ["/bin/sh", ["-c", `${command} "$1"`, "sh", path]];
    const marker = `${process.pid}-editor-${Math.random().toString(36).slice(2)}`;
    const env = { ...environment, [markerName]: marker };
    const child = spawn(program, args, { stdio: "inherit", env, shell: isWindows });
    // It shares our process group, and with that the terminal: what it started is found by its environment.
    let ending: Promise<unknown> = Promise.resolve();
    const cancel = () => {
      ending = endFamily({ marker }, editorGraceMs);
    };
    if (signal?.aborted === true) cancel();
    signal?.addEventListener("abort", cancel, { once: true });
    const finish = (answer: Refusal | undefined) => {
      signal?.removeEventListener("abort", cancel);
      const cancelled = refuse("cancelled", "The editor was closed; the text is as it was.");
      void ending.then(() => resolve(signal?.aborted === true ? cancelled : answer));
    };
    child.once("error", (error) =>
      finish(refuse("not_found", `The editor cannot be started: ${causeOf(error)}.`)),
    );
    child.once("exit", (code) => finish(code === 0 ? undefined : editorFailed(code)));
  });
}

const editorGraceMs = 500;

function editorFailed(code: number | null): Refusal {
  if (code === 127 || code === 126)
    return refuse("not_found", "The editor that VISUAL or EDITOR names cannot be started.");
  return refuse("not_applied", `The editor ended with ${code ?? "a signal"}; the text is as it was.`);
}

function editedText(path: string, before: string): EditedText | Refusal {
  const left = readForeign(path, { limitBytes: 64 << 20 });
  if (left.kind === "absent")
    return refuse("not_applied", "The editor removed the file; the text is as it was.");
  if (left.kind === "unreadable")
    return refuse("not_applied", `What the editor left is not read: ${left.why}. The text is as it was.`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(left.bytes);
    return { kind: "edited", text, isChanged: text !== before };
  } catch {
    return refuse("undecodable", "The editor left a text that is no UTF-8; the text is as it was.");
  }
}
