import { accessSync, constants, existsSync } from "node:fs";
import { dirname } from "node:path";
import { isRefusal } from "@holdfast/core/files/values";
import { type Inspection, inspectPath, inspectState, openJournalStore } from "@holdfast/core/node";
import { counted, escapeForPeople } from "@holdfast/core/text";
import type { Finding } from "../agent/check-agent.js";
import { readableSize } from "../answers/amounts.js";
import { answer } from "../answers/one-answer.js";
import { exitCodes } from "../shell/exit-codes.js";
import type { Invocation } from "../shell/invocation.js";
import { makePaint, type Paint } from "../shell/terminal.js";
import { version } from "../shell/version.js";

/**
 * `holdfast doctor`: what is promised on this machine, and what stands in the way; with a path, what holds for it.
 * Repairs nothing.
 */
export async function doctorCommand(call: Invocation): Promise<number> {
  const { args, settings, flags, misuse } = call;
  const [path] = args;
  if (path !== undefined && flags.tryModel === true) return misuse("--try-model goes without a path");
  const findings = path === undefined ? await allFindings(call) : await pathFindings(settings.roots, path);
  const healthy = findings.every(({ verdict }) => verdict !== "fault");
  const exitCode = await answer(
    call,
    { success: healthy, version, findings },
    linesOf(findings, call.terminal.outPaint).join("\n"),
  );
  return healthy ? exitCode : exitCodes.machine;
}

/** The same without a path as lines, for a program that runs already. */
export async function doctorLines(call: Invocation): Promise<readonly string[]> {
  // Whoever shows them escapes what is no text.
  return linesOf(await allFindings(call), makePaint(false));
}

function linesOf(findings: readonly Finding[], paint: Paint): readonly string[] {
  return [`holdfast ${version}`, ...findings.map((finding) => describe(finding, paint))];
}

async function allFindings(call: Invocation): Promise<readonly Finding[]> {
  const { stateDir, roots } = call.settings;
  const { agentFindings } = await import("../agent/check-agent.js");
  const inspection = inspectState(stateDir, roots);
  return [
    ...machineFindings(inspection),
    ...rootFindings(inspection),
    ...stateFindings(inspection),
    ...(await conversationFindings(inspection, stateDir)),
    ...(await agentFindings(call)),
  ];
}

/** Why a path is protected, and what else a write there meets. */
async function pathFindings(roots: readonly string[], path: string): Promise<readonly Finding[]> {
  const facts = await inspectPath(roots, path);
  if (isRefusal(facts)) return [finding(path, "fault", `${facts.code}: ${facts.message}`)];
  const { protection, ignored, secret } = facts;
  const notes = [
    protection && `protected: ${protection.reason} (${protection.source}); --allow-protected opens it`,
    ignored && `ignored: ${ignored.message}`,
    secret && "looks like a secret: its states are kept apart, for seven days unless set, and shown nowhere",
  ];
  const findings = notes.flatMap((says) => (says ? [finding(path, "note", says)] : []));
  return findings.length > 0 ? findings : [finding(path, "good", "open to reading and writing")];
}

function machineFindings({ nodeVersion, platform, walksByHandle, nativeExtension }: Inspection): Finding[] {
  return [
    finding("node", isSupported(nodeVersion) ? "good" : "fault", `${nodeVersion} (20.19 or later is needed)`),
    finding("platform", "good", platform),
    walksByHandle
      ? finding("confinement", "good", "paths are walked by handle: no link leads out of the roots")
      : finding("confinement", "note", "paths are compared, not walked by handle: the weaker promise"),
    nativeExtension.loaded
      ? finding("native extension", "good", "loaded: extended attributes and ACLs are kept")
      : finding("native extension", "note", `not loaded (${nativeExtension.reason ?? "unknown"})`),
  ];
}

function rootFindings({ roots }: Inspection): Finding[] {
  return roots.map(({ path, refusal }) =>
    refusal === undefined
      ? finding("root", "good", path)
      : finding("root", "fault", `${path}: ${refusal.code}: ${refusal.message}`),
  );
}

function stateFindings({ state }: Inspection): Finding[] {
  if (state.kind === "refusal") return [finding("state folder", "fault", `${state.code}: ${state.message}`)];
  if (!state.exists && !isMakeable(state.path))
    return [finding("state folder", "fault", `${state.path} cannot be made: nothing can be undone`)];
  if (!state.exists) return [finding("state folder", "good", `${state.path} (nothing kept yet)`)];
  const { staleLocks, leftIntents, staleSessions } = state;
  const kept = `${counted(state.blobs, "state")} of ${counted(state.histories, "file")}, ${readableSize(state.blobBytes)}`;
  const secrets = `${counted(state.secrets, "state")} kept apart: holdfast gc --secrets deletes them`;
  const signs = counted(staleSessions, "sign of an ended program", "signs of ended programs");
  const left = `${counted(staleLocks, "lock")}, ${counted(leftIntents, "interrupted write")}, ${signs}: holdfast gc clears up`;
  return [
    finding("state folder", state.mode === "700" ? "good" : "note", `${state.path} (mode ${state.mode})`),
    finding("free space", state.freeBytes < lowBytes ? "note" : "good", readableSize(state.freeBytes)),
    finding("kept", "good", kept),
    ...(state.secrets === 0 ? [] : [finding("secrets", "note", secrets)]),
    finding("programs", "good", `${state.liveSessions} running`),
    staleLocks + leftIntents + staleSessions === 0
      ? finding("left behind", "good", "nothing")
      : finding("left behind", "note", left),
  ];
}

function isMakeable(path: string): boolean {
  if (!existsSync(path)) return isMakeable(dirname(path));
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The stored conversations; what cannot be read of them stays where it is, so it is no fault of the machine. */
async function conversationFindings({ state }: Inspection, stateDir: string | undefined): Promise<Finding[]> {
  if (state.kind === "refusal" || !state.exists) return [];
  const store = openJournalStore({ stateDir });
  if (isRefusal(store)) return [finding("conversations", "fault", `${store.code}: ${store.message}`)];
  const facts = await store.list();
  await store.close();
  if (isRefusal(facts)) return [finding("conversations", "fault", `${facts.code}: ${facts.message}`)];
  const unread = facts.filter(({ problem }) => problem !== undefined).length;
  const unreadWords = `, of which ${unread} cannot be read: holdfast sessions list tells why`;
  const says = `${facts.length} kept${unread === 0 ? "" : unreadWords}`;
  return [finding("conversations", unread === 0 ? "good" : "note", says)];
}

const lowBytes = 100_000_000;

function finding(name: string, verdict: Finding["verdict"], says: string): Finding {
  return { name, verdict, says };
}

function describe({ name, verdict, says }: Finding, paint: Paint): string {
  const marks = { good: paint.green("✓"), note: paint.yellow("!"), fault: paint.red("✗") };
  return `${marks[verdict]} ${escapeForPeople(name).padEnd(17)} ${escapeForPeople(says)}`;
}

function isSupported(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  return major > 20 || (major === 20 && minor >= 19);
}
