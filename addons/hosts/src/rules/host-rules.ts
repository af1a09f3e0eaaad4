import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { HostRule } from "@holdfast/core/files";
import { commandLineOf, readForeign } from "@holdfast/core/node";
import type { ClientName } from "../clients.js";
import { type Carried, mostRules, tooManyRules, unknownRules } from "./permission-rules.js";
import { readSettings } from "./settings-text.js";
import { type Places, placesFor, rulesTogether, type Source, sourcesOf } from "./sources.js";
import { type Asked, wholeTools } from "./whole-tools.js";

/** The rules of a host, as they stand now. */
export interface HostRules {
  readonly rules: readonly HostRule[];
  /** Rules about files that do not count for our tools, each with the reason. */
  readonly left: readonly string[];
  /** Nothing may be written at all. */
  readonly readOnly: boolean;
  /** What setup copies: the kinds of its own tools about which the host asks a person, all of them. */
  readonly asked: readonly Asked[];
  /** Settings that are understood together only, in the order in which the host puts them together. */
  readonly parts: readonly unknown[];
}

/**
 * Reads what a person has denied to the file tools of a client, from the client's own settings: those of the person, and
 * those of each project; and from what the client itself refuses its tools. A file that cannot be read denies everything:
 * nobody can say what it was to protect.
 *
 * @param roots the folders in which the agent works.
 * @param run how the client was started; by the process that started this one unless given.
 * @returns what the rules are at each moment: a change of the settings counts within a fifth of a second.
 */
export async function openHostRules(
  client: ClientName,
  roots: readonly string[],
  run: readonly string[] = commandLineOf(process.ppid),
): Promise<() => HostRules> {
  // One client has settings in TOML, another rules: the rest are spared its library.
  const usesToml = client === "codex" || client === "gemini";
  const { parse } = usesToml ? await import("@decimalturn/toml-patch") : { parse: readSettings };
  const places = placesFor(
    client,
    roots.map((root) => resolve(root)),
    run,
  );
  let known: { readonly stamp: string; readonly rules: HostRules } | undefined;
  let checkedMs = Number.NEGATIVE_INFINITY;
  let named: readonly Source[] = [];
  return () => {
    if (known !== undefined && performance.now() - checkedMs < freshMs) return known.rules;
    checkedMs = performance.now();
    const sources = sourcesOf[client](places, parse);
    const stampOfAll = () => [...sources, ...named].map(({ file }) => stampOf(file)).join();
    if (known !== undefined && known.stamp === stampOfAll()) return known.rules;
    const reading = new Reading();
    for (const source of sources) reading.read(source);
    named = reading.named;
    known = { stamp: stampOfAll(), rules: rulesOf(client, reading.carried, places) };
    return known.rules;
  };
}

const freshMs = 200;

/** What is read, source by source. */
class Reading {
  readonly carried: Carried[] = [];
  readonly named: Source[] = [];

  read({ file, place, text, limitBytes = 256 * 1024, read }: Source): void {
    const found =
      file === undefined
        ? ({ kind: "read", bytes: text ?? "" } as const)
        : readForeign(file, { links: "followed", limitBytes });
    if (found.kind === "absent") return;
    if (found.kind === "unreadable") return void this.carried.push(unknownRules(place, found.why));
    try {
      const all = read(found.bytes.toString(), place);
      if (all.length > mostRules) return void this.carried.push(unknownRules(place, tooManyRules));
      for (const one of all) {
        if ("kind" in one) this.carried.push(one);
        else if (this.named.push(one) <= mostRules) this.read(one);
      }
    } catch {
      this.carried.push(unknownRules(place));
    }
  }
}

function stampOf(file: string | undefined): string {
  if (file === undefined || !existsSync(file)) return "";
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(":");
}

function rulesOf(client: ClientName, read: readonly Carried[], places: Places): HostRules {
  const { carried: whole, asked } = wholeTools(
    client,
    read.filter((one) => one.kind === "tool"),
  );
  const parts = read.flatMap((one) => (one.kind === "part" ? [one.value] : []));
  const carried = [...read, ...whole, ...rulesTogether(client, parts, places)];
  const rules = carried.filter((one) => one.kind === "rule");
  const left = carried.flatMap((one) => (one.kind === "left" ? [`${one.shown} (${one.why})`] : []));
  const readOnly = rules.some(({ denies, everything }) => everything && denies === "writing");
  return { rules, left, readOnly, asked, parts };
}
