/** Calls of one id in one message, of which those before `next` have their results. */
interface Group<Caller> {
  readonly caller: Caller;
  readonly ids: string[];
  next: number;
}

/** Which calls wait for a result of an id: of the last message that holds such a call the first. */
export class WaitingCalls<Caller> {
  private readonly groups = new Map<string, Group<Caller>[]>();

  /** @param hasResult whether a call got a result; it never loses it. */
  constructor(private readonly hasResult: (caller: Caller, id: string) => boolean) {}

  /** Whether a call of this id was ever added. */
  has(given: string): boolean {
    return this.groups.has(given);
  }

  /** @param given the id as it is written. @param id the call's own, where several have one. */
  add(given: string, caller: Caller, id: string): void {
    const groups = this.groups.get(given) ?? [];
    this.groups.set(given, groups);
    const last = groups.at(-1);
    if (last?.caller === caller) last.ids.push(id);
    else groups.push({ caller, ids: [id], next: 0 });
  }

  /** The call that the next result of this id belongs to. */
  next(given: string): { readonly caller: Caller; readonly id: string } | undefined {
    const groups = this.groups.get(given) ?? [];
    for (let group = groups.at(-1); group !== undefined; group = groups.at(-1)) {
      for (; group.next < group.ids.length; group.next += 1) {
        const id = group.ids[group.next] ?? "";
        if (!this.hasResult(group.caller, id)) return { caller: group.caller, id };
      }
      groups.pop();
    }
    return undefined;
  }
}
