import { isDeepStrictEqual } from "node:util";
import { isRefusal } from "@holdfast/core/files/values";
import { isObject } from "@holdfast/core/text";
import { memberAt, readSettings } from "../rules/settings-text.js";
import type { ChangedSettings, ChangeJson, PlacedSetting, Setting } from "./client-settings.js";
import { wantedValue } from "./wanted-value.js";

/** Puts settings into a text of JSON, or takes them out, one after the other: elements of lists are named by their places. */
export function changeJsonText(
  text: string,
  settings: readonly Setting[],
  changeJson: ChangeJson,
): ChangedSettings {
  let changed = text;
  for (const setting of settings) {
    const next = changeJson(changed, placed(changed, setting));
    if (isRefusal(next)) return next;
    changed = next.text;
  }
  return { kind: "changed", text: changed };
}

function placed(text: string, setting: Setting): readonly PlacedSetting[] {
  const { path, value, among: isOurs } = setting;
  if (isOurs === undefined) return [{ ...setting, merge: (present) => wantedValue(present, setting) }];
  const list = listAt(text, path);
  const isSet = "value" in setting;
  if (list === undefined)
    return [isSet ? { path, value: [value], merge: (present) => present ?? [value] } : { path }];
  // Refused, since nothing but a list has places.
  if (list === "other") return [{ path: [...path, 0], ...(isSet ? { value } : {}) }];
  return isSet ? additions({ path, value, isOurs }, list) : removals({ path, isOurs }, list);
}

/** The list at a path; undefined where none can be read: whoever changes the text says why. */
function listAt(text: string, path: readonly string[]): readonly unknown[] | "other" | undefined {
  try {
    const found = memberAt(readSettings(text), ...path);
    return found === undefined || Array.isArray(found) ? found : "other";
  } catch {
    return undefined;
  }
}

interface Element {
  readonly path: readonly string[];
  readonly isOurs: (element: unknown) => boolean;
}

/** An element with hooks of others beside ours keeps those; ours gets an element of its own. */
function additions(
  { path, value, isOurs }: Element & { readonly value: unknown },
  list: readonly unknown[],
): readonly PlacedSetting[] {
  // Anywhere: what stands before it may be ours of old, with members that we would not write.
  const equal = list.findIndex((element) => isDeepStrictEqual(element, value));
  const at = equal < 0 ? list.findIndex(isOurs) : equal;
  const others = equal < 0 ? hooksOf(list[at]).filter((hook) => !isOurs({ hooks: [hook] })) : [];
  const end = { path: [...path, list.length], value };
  if (at < 0) return [end];
  // The library's own removal from a list on one line leaves text that is no JSON.
  return others.length === 0
    ? [{ path: [...path, at], value }]
    : [{ path: [...path, at, "hooks"], value: others }, end];
}

/** Our hooks, and the elements that hold nothing else, from the last on: the places of those before them stay. */
function removals({ path, isOurs }: Element, list: readonly unknown[]): readonly PlacedSetting[] {
  const found = list.flatMap((element, at) => {
    if (!isOurs(element)) return [];
    const hooks = hooksOf(element);
    const ours = hooks.flatMap((hook, place) => (isOurs({ hooks: [hook] }) ? [place] : []));
    const isWhole = ours.length === 0 || ours.length === hooks.length;
    return isWhole
      ? [{ path: [...path, at] }]
      : ours.map((place) => ({ path: [...path, at, "hooks", place] }));
  });
  return found.toReversed();
}

function hooksOf(element: unknown): readonly unknown[] {
  return isObject(element) && Array.isArray(element.hooks) ? element.hooks : [];
}
