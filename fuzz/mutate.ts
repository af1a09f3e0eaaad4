import type { Random } from "./random.js";
import { isRecord, jsonOf } from "./target.js";

/** Longer inputs find little more and cost much more. In UTF-16 units. */
export const maxLength = 6_000;

/** What a mutation can draw on. */
export interface Material {
  readonly random: Random;
  readonly words: readonly string[];
  /** Another input that was kept. */
  readonly other: string;
}

/** An input that is a little, or sometimes much, different. */
export function mutate(input: string, material: Material): string {
  const { random } = material;
  let mutated = input;
  for (let times = 1 << random.below(4); times > 0; times--) {
    const change = random.of(changes) ?? spliced;
    mutated = change(mutated, material).slice(0, maxLength);
  }
  return mutated;
}

type Change = (input: string, material: Material) => string;

const changes: readonly Change[] = [
  charChanged,
  charChanged,
  stretchRemoved,
  stretchRepeated,
  wordPut,
  wordPut,
  numberChanged,
  lineMoved,
  lineRepeated,
  lineRemoved,
  spliced,
  jsonChanged,
  jsonChanged,
];

function charChanged(input: string, { random }: Material): string {
  const at = random.below(input.length + 1);
  const kind = random.below(8);
  const unit = kind < 3 ? 0x20 + random.below(0x5f) : random.below(0x250);
  const char = kind < 4 ? String.fromCharCode(unit) : (random.of(chars) ?? "");
  return input.slice(0, at) + char + input.slice(at + random.below(2));
}

const chars = [
  ..."\n\n\r\t \\/\"'`*?[]{}()<>!#-+@=:;,.|&%$~^_0129azAZ\u0000\u007f\u00a0\u00df\u2028\u202e\u200b\ufeff\ud800\udc00",
];

function stretch(input: string, random: Random): readonly [number, number] {
  const from = random.below(input.length + 1);
  const most = random.below(4) === 0 ? input.length : 24;
  return [from, Math.min(input.length, from + random.below(most))];
}

function stretchRemoved(input: string, { random }: Material): string {
  const [from, to] = stretch(input, random);
  return input.slice(0, from) + input.slice(to);
}

function stretchRepeated(input: string, { random }: Material): string {
  const [from, to] = stretch(input, random);
  const at = random.below(input.length + 1);
  return input.slice(0, at) + input.slice(from, to).repeat(1 + random.below(4)) + input.slice(at);
}

function wordPut(input: string, { random, words }: Material): string {
  const at = random.below(input.length + 1);
  return input.slice(0, at) + (random.of(words) ?? "") + input.slice(at);
}

function numberChanged(input: string, { random }: Material): string {
  const found = [...input.matchAll(/-?\d+/g)];
  const one = random.of(found);
  if (one === undefined) return input;
  const next = random.of(numbers) ?? String(Number(one[0]) + random.below(5) - 2);
  return input.slice(0, one.index) + next + input.slice(one.index + one[0].length);
}

const numbers = [
  "0",
  "1",
  "-1",
  "-0",
  "2",
  "255",
  "65536",
  "2147483648",
  "9007199254740993",
  "1e999",
  "0.5",
].concat("999999999999999999999");

function lines(input: string, change: (lines: string[]) => void): string {
  const all = input.split("\n");
  change(all);
  return all.join("\n");
}

function lineMoved(input: string, { random }: Material): string {
  return lines(input, (all) => {
    const [line = ""] = all.splice(random.below(all.length), 1);
    all.splice(random.below(all.length + 1), 0, line);
  });
}

function lineRepeated(input: string, { random }: Material): string {
  return lines(input, (all) => {
    const line = random.of(all) ?? "";
    all.splice(random.below(all.length + 1), 0, ...Array.from({ length: 1 + random.below(3) }, () => line));
  });
}

function lineRemoved(input: string, { random }: Material): string {
  return lines(input, (all) => void all.splice(random.below(all.length), 1 + random.below(3)));
}

function spliced(input: string, { random, other }: Material): string {
  return input.slice(0, random.below(input.length + 1)) + other.slice(random.below(other.length + 1));
}

/** Changes one value of the JSON that the input or one of its lines is. */
function jsonChanged(input: string, material: Material): string {
  const whole = jsonOf(input);
  if (typeof whole === "object" && whole !== null) return JSON.stringify(changed(whole, material));
  return lines(input, (all) => {
    const at = material.random.below(all.length);
    const value = jsonOf(all[at] ?? "");
    if (typeof value === "object" && value !== null) all[at] = JSON.stringify(changed(value, material));
  });
}

function changed(value: unknown, material: Material): unknown {
  const { random } = material;
  const members = Array.isArray(value) ? [...value.entries()] : isRecord(value) ? Object.entries(value) : [];
  const member = random.of<readonly [string | number, unknown]>(members);
  if (member === undefined || random.below(8) === 0) return replacement(value, material);
  const [key, inner] = member;
  const next = random.below(4) === 0 ? replacement(inner, material) : changed(inner, material);
  if (Array.isArray(value)) {
    const kept = [...value];
    const [from, gone] = [Number(key), [1, 1, 1, 1, 0][random.below(5)] ?? 1];
    kept.splice(from, gone, ...(random.below(6) === 0 ? [] : [next]));
    return kept;
  }
  const { [key]: _, ...others } = value as Readonly<Record<string, unknown>>; // It has members and is no list.
  if (random.below(8) === 0) return others;
  const name = random.below(8) === 0 ? (random.of(material.words) ?? key) : key;
  return { ...others, [name]: next };
}

function replacement(value: unknown, { random, words, other }: Material): unknown {
  const kinds: readonly (() => unknown)[] = [
    () => null,
    () => true,
    () => random.below(1000) - 1,
    () => 1e300,
    () => -0,
    () => 0.5,
    () => "",
    () => random.of(words) ?? "",
    () => other.slice(0, random.below(40)),
    () => "\ud800",
    () => "__proto__",
    () => [],
    () => ({}),
    () => [value, value],
    () => ({ constructor: value }),
    () => (typeof value === "string" ? mutate(value.slice(0, 200), { random, words, other: "" }) : value),
    () => (typeof value === "number" ? value + random.below(5) - 2 : value),
  ];
  return random.of(kinds)?.();
}
