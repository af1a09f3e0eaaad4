import fc from "fast-check";
import { expect, test } from "vitest";
import { clip, escapeForDisplay } from "../../src/text/index.js";
import type { JsonSchema } from "../../src/tools/index.js";
import {
  flatList,
  isOfHost,
  lineRange,
  meaningsOf,
  plainName,
  spellings,
} from "../../src/tools/tool/spellings.js";

/** No argument is dropped in silence, whatever the door: the law, and what a door has to bring to be held to it. */
export interface Door {
  readonly tools: readonly DoorTool[];
  /** Opens it on its own files, which every time are the same. */
  open(): Promise<OpenDoor>;
  /** Its calls name all that its tools take. */
  readonly isWhole?: boolean;
  /** Cases of each law; 100 unless given. A longer run draws more. */
  readonly runs?: number;
}

export interface DoorTool {
  readonly name: string;
  readonly isReading: boolean;
  /** All that it takes, also what is not listed. */
  readonly schema: JsonSchema;
  /** Calls that it carries out, each behind those that have to come before. */
  readonly calls: readonly LawCall[];
}

export interface LawCall {
  readonly args: Args;
  readonly first?: readonly (readonly [tool: string, args: Args])[];
  /** Unless given, it does what its tool is for. */
  readonly does?: "looks" | "refuses";
}

export interface OpenDoor {
  /** The answer as the model reads it. */
  call(tool: string, args: Args): Promise<string>;
  /** All that a call may change. */
  state(): string | Promise<string>;
}

export type Args = Readonly<Record<string, unknown>>;

export function holdArguments(door: Door): void {
  const cases = casesOf(door);
  const runs = Number(process.env.HOLDFAST_RUNS ?? door.runs ?? 100);
  const hold = <Drawn extends [unknown, ...unknown[]]>(
    drawn: { readonly [At in keyof Drawn]: fc.Arbitrary<Drawn[At]> },
    law: (...values: Drawn) => Promise<void>,
  ) => fc.assert(fc.asyncProperty(...drawn, law), { numRuns: runs, endOnFailure: true });
  const plain = answersOf(door);

  test("its calls are carried out as they stand", async () => {
    for (const one of cases) {
      const { tool, call } = one;
      const { text, isChanged } = await plain(one, call.args);
      const isDone = call.does === "refuses" || !refusal.test(text);
      const changes = !tool.isReading && call.does === undefined;
      expect([tool.name, text, isDone, isChanged]).toEqual([tool.name, text, true, changes]);
    }
    for (const tool of door.isWhole === true ? door.tools : []) {
      const given = cases.filter((one) => one.tool === tool);
      const named = given.flatMap(({ sites }) => sites.flatMap(({ value }) => Object.keys(value)));
      expect([tool.name, ...namesBelow(tool.schema)].filter((name) => !named.includes(name))).toEqual([
        tool.name,
      ]);
    }
  });

  test("an argument that is not known is refused, or told by a tool that reads", async () => {
    const stray = fc.tuple(fc.nat(), strayName, strayValue);
    const each = cases.map(() => stray);
    const law = fc.asyncProperty(fc.tuple(...each), async (drawn) => {
      for (const [which, [at, name, value]] of drawn.entries()) {
        const one = cases[which];
        const site = one && siteOf(one, at);
        if (one === undefined || site === undefined || isTaken(one.tool.schema, site, name)) continue;
        const said = await tell(one, { site, name, value });
        expect(said).toContain(`no argument ${clip(escapeForDisplay(name), 40)}`);
        for (const taken of listed(site)) expect(said).toContain(taken);
      }
    });
    await fc.assert(law, { numRuns: Math.ceil(runs / cases.length), endOnFailure: true });
  });

  test("one letter wrong is an argument that is not known, and the right one is named", async () => {
    await hold([fc.constantFrom(...cases), fc.nat(), fc.nat(), typo, fc.boolean()], async (...drawn) => {
      const [one, at, which, mistake, isInPlace] = drawn;
      const site = siteOf(one, at);
      const names = listed(site);
      const right = names[which % Math.max(1, names.length)];
      fc.pre(right !== undefined);
      const name = mistake(right ?? "");
      const near = names.filter((other) => isNear(plainName(other), plainName(name)));
      fc.pre(near.length === 1 && near[0] === right && name !== "" && !isTaken(one.tool.schema, site, name));
      const { [right ?? ""]: meant = "x", ...others } = site.value;
      const said = await tell(one, { site, name, value: meant, ...(isInPlace ? { others } : {}) });
      expect(said).toContain(`no argument ${name}`);
      expect(said).toContain(`did you mean ${right}?`);
    });
  });

  test("what hosts add changes nothing", async () => {
    const added = fc.constantFrom(...hostNames).chain((name) => fc.constantFrom(name, ...formsOf(name)));
    await hold([fc.constantFrom(...cases), added, fc.jsonValue()], async (one, name, value) => {
      expect(await plain(one, { ...one.call.args, [name]: value })).toEqual(await plain(one, one.call.args));
    });
  });

  test("every other name of an argument is the argument", async () => {
    const renamed = cases.flatMap((one) =>
      one.sites.flatMap((site) =>
        Object.keys(site.value).flatMap((own) =>
          otherNames(site, own).map((name) => ({ one, site, own, name })),
        ),
      ),
    );
    await hold([fc.constantFrom(...renamed)], async ({ one, site, own, name }) => {
      const entries = Object.entries(site.value).map(([key, value]) => [key === own ? name : key, value]);
      const args = put(one.call.args, site, Object.fromEntries(entries));
      expect(await plain(one, args)).toEqual(await plain(one, one.call.args));
    });
  });

  test("what is left out and needed is named, and nothing is changed", async () => {
    const whole = cases.filter(({ call }) => call.does !== "refuses");
    const leftOut = whole.flatMap((one) =>
      one.sites.flatMap((site) => Object.keys(site.value).map((name) => ({ one, site, name }))),
    );
    await hold([fc.constantFrom(...leftOut)], async ({ one, site, name }) => {
      const { [name]: _, ...others } = site.value;
      const { text, isChanged } = await plain(one, put(one.call.args, site, others));
      const isNeeded = Array.isArray(site.schema.required) && site.schema.required.includes(name);
      if (!isNeeded && !/invalid_arguments|missing_base/.test(text)) return;
      expect(text).toMatch(refusal);
      expect(text).toContain(name);
      expect(isChanged).toBe(false);
    });
  });

  test("a list, an object, a number and a yes may come as text, and one change beside the others", async () => {
    const written = cases.flatMap((one) => [
      ...one.sites.flatMap((site) =>
        Object.entries(site.value)
          .filter(([, value]) => typeof value !== "string" && value !== undefined)
          .map(([name, value]) => ({
            one,
            args: put(one.call.args, site, { ...site.value, [name]: asText(value) }),
          })),
      ),
      ...flatForms(one.call.args).map((args) => ({ one, args })),
    ]);
    fc.pre(written.length > 0);
    await hold([fc.constantFrom(...written)], async ({ one, args }) => {
      expect([args, await plain(one, args)]).toEqual([args, await plain(one, one.call.args)]);
    });
  });

  /** The answer to a call with a stray argument: a refusal that changes nothing, or the answer that is given without it. */
  async function tell(one: Case, { site, name, value, others = site.value }: StrayAt): Promise<string> {
    const args = put(one.call.args, site, { ...others, [name]: value });
    const { text, isChanged } = await plain(one, args, false);
    if (!one.tool.isReading) {
      expect([args, text]).toEqual([args, expect.stringMatching(/invalid_arguments/)]);
      expect(isChanged).toBe(false);
      return text;
    }
    const without = await plain(one, put(one.call.args, site, others));
    expect(strip(text)).toBe(strip(without.text));
    return text;
  }
}

interface StrayAt {
  readonly site: Site;
  readonly name: string;
  readonly value: unknown;
  readonly others?: Args;
}

/** What is said of what is ignored stands in a line of its own, or behind a refusal. */
function strip(text: string): string {
  return text.replaceAll(/\s*(Ignored: )?(\w+|\w+\[\d\]) has no argument .* takes [^.]*\./gs, "").trim();
}

const refusal = /\binvalid_arguments\b|^(FAILED|Error|unknown_[a-z]+:|no_task:)|needs the argument/;

export interface Case {
  readonly tool: DoorTool;
  readonly call: LawCall;
  readonly sites: readonly Site[];
}

/** Where arguments stand: the call itself, or an object in it. */
export interface Site {
  readonly path: readonly (string | number)[];
  readonly schema: JsonSchema;
  readonly value: Args;
}

export function casesOf({ tools }: Door): readonly Case[] {
  return tools.flatMap((tool) =>
    tool.calls.map((call) => ({ tool, call, sites: sitesOf(tool.schema, call.args, []) })),
  );
}

function sitesOf(schema: JsonSchema, value: unknown, path: Site["path"]): readonly Site[] {
  if (Array.isArray(value))
    return value.flatMap((one, at) => sitesOf(Object(schema.items), one, [...path, at]));
  if (!("properties" in schema) || typeof value !== "object" || value === null) return [];
  const fields = fieldsOf(schema);
  const own: Site = { path, schema, value: { ...value } };
  return [
    own,
    ...Object.entries(value).flatMap(([name, one]) => sitesOf(fields[name] ?? {}, one, [...path, name])),
  ];
}

function fieldsOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return Object(schema.properties);
}

function namesBelow(schema: JsonSchema): readonly string[] {
  const fields = Object.entries(fieldsOf(schema));
  return fields.flatMap(([name, field]) => [name, ...namesBelow(field), ...namesBelow(Object(field.items))]);
}

function siteOf({ sites }: Case, at: number): Site {
  const site = sites[at % sites.length];
  if (site === undefined) throw new Error("a call is no object");
  return site;
}

/** The arguments of the site that are shown to a model. */
function listed({ schema }: Site): readonly string[] {
  const fields = Object.entries(fieldsOf(schema));
  return fields.filter(([, field]) => field.unlisted !== true).map(([name]) => name);
}

function isTaken(whole: JsonSchema, { path, schema }: Site, name: string): boolean {
  const edits = fieldsOf(whole)[flatList];
  const flat = path.length === 0 ? Object.keys(fieldsOf(Object(edits?.items))) : [];
  const names = Object.keys(fieldsOf(schema));
  const isOf = (of: readonly string[]) => meaningsOf(of).has(plainName(name));
  return isOf(names) || isOf(flat) || isOf(Object.values(lineRange)) || isOfHost(name);
}

/** The same arguments with another object at the site. */
export function put(args: unknown, { path: [first, ...rest], ...site }: Site, value: Args): Args {
  if (first === undefined) return value;
  const below = put(Reflect.get(Object(args), first), { path: rest, ...site }, value);
  // A cast: the whole is an object, whatever is below it.
  if (Array.isArray(args)) return args.with(Number(first), below) as unknown as Args;
  return { ...Object(args), [first]: below };
}

function asText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The only edit beside the other arguments; a window, and the lines of an edit, by their first and last line. */
function flatForms(args: Args): readonly Args[] {
  const { edits, offset, limit, ...others } = args;
  const [edit, ...more] = Array.isArray(edits) ? edits : [];
  const { first, last } = lineRange;
  const window = typeof offset === "number" && typeof limit === "number";
  const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(String(edit?.lines)) ?? [];
  const { lines: _, ...lineEdit } = Object(edit);
  return [
    ...(edit !== undefined && more.length === 0
      ? [
          { ...others, ...edit },
          { ...others, edits: edit },
        ]
      : []),
    ...(from === undefined || more.length > 0 ? [] : [{ ...others, ...lineEdit, [first]: from, [last]: to }]),
    ...(window ? [{ ...others, [first]: offset, [last]: offset + limit - 1 }] : []),
  ];
}

/** Each answer, and whether anything is other than before; once a call where nothing is drawn. */
function answersOf(door: Door) {
  const known = new Map<string, Promise<Answer>>();
  const ask = async ({ tool, call: { first = [] } }: Case, args: Args): Promise<Answer> => {
    const opened = await door.open();
    for (const [name, before] of first) await opened.call(name, before);
    const before = await opened.state();
    const text = await opened.call(tool.name, args);
    const state = await opened.state();
    return { text, state, isChanged: before !== state };
  };
  return (one: Case, args: Args, isKept = true): Promise<Answer> => {
    if (!isKept) return ask(one, args);
    const key = `${one.tool.name} ${JSON.stringify([one.call.first, args])}`;
    const answer = known.get(key) ?? ask(one, args);
    known.set(key, answer);
    return answer;
  };
}

interface Answer {
  readonly text: string;
  readonly state: string;
  readonly isChanged: boolean;
}

/** Every name that the table has for the argument, and its own, in the forms that models write names in. */
export function otherNames({ schema }: Site, own: string): readonly string[] {
  const meanings = meaningsOf(Object.keys(fieldsOf(schema)));
  const all = [own, ...spellings.flatMap(({ names, also }) => [...names, ...also])];
  const names = all.filter((name) => meanings.get(plainName(name)) === own);
  return [...new Set(names.flatMap((name) => [name, ...formsOf(name)]))].filter((name) => name !== own);
}

function formsOf(name: string): readonly string[] {
  const camel = name.replaceAll(/_+([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return [camel, name.replaceAll("_", "-"), name.toUpperCase()];
}

/** As of November 2026; the table of the code may have more. */
const hostNames = [
  ...["wait_for_previous", "wait_for_previous_tools", "tool_action", "tool_summary", "task_progress"],
  ...["__tool_use_purpose", "security_risk", "explanation"],
];

const strayName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 60, unit: "binary" }),
  fc.stringMatching(/^[a-z]{2,8}(_[a-z]{2,8})?$/),
  fc.constantFrom("mode", "append", "recursive", "force", "overwrite", "constructor", "length"),
);
const strayValue = fc.jsonValue().filter((value) => value !== null);

/** One letter left out, doubled, changed, or exchanged with the next. */
const typo: fc.Arbitrary<(name: string) => string> = fc
  .tuple(fc.nat(), fc.constantFrom(0, 1, 2, 3), fc.stringMatching(/^[a-z]$/))
  .map(([where, kind, letter]) => (name) => {
    const at = where % name.length;
    const [before, own, after] = [name.slice(0, at), name.charAt(at), name.slice(at + 1)];
    const mistakes = [before + after, before + own + own + after, before + letter + after];
    return mistakes[kind] ?? before + after.charAt(0) + own + after.slice(1);
  });

/** Whether one mistake of `typo` makes one of the other, or none. */
function isNear(one: string, two: string): boolean {
  const [long, short] = one.length > two.length ? [one, two] : [two, one];
  if (long.length > short.length)
    return [...long].some((_, at) => long.slice(0, at) + long.slice(at + 1) === short);
  const wrong = [...one].flatMap((letter, at) => (letter === two[at] ? [] : [at]));
  const [at = 0, next = 0] = wrong;
  const isExchange = wrong.length === 2 && next === at + 1 && one[at] === two[next] && one[next] === two[at];
  return wrong.length < 2 || isExchange;
}
