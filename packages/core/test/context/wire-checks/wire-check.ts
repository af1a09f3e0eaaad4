/** What a request breaks of a provider's rules on the wire. */
export interface WireViolation {
  /** The rule, by a name of ours; docs/invariants.md says where each comes from. */
  readonly rule: string;
  /** Where: the indices from the message inwards. */
  readonly at: readonly number[];
  readonly message: string;
}

/** What a wire form is checked for. */
export interface WireCheckOptions {
  /** Whether this is to be sent now: then it must not be empty, and the last to speak is the user. */
  readonly request?: boolean;
}

/** @param at indices that lead to the place: message, part and so on. */
export function violation(rule: string, at: readonly number[], message: string): WireViolation {
  return { rule, at, message };
}

/** Which of these hold, as a list. */
export function when(
  broken: boolean,
  rule: string,
  at: readonly number[],
  message: string,
): readonly WireViolation[] {
  return broken ? [violation(rule, at, message)] : [];
}

/** The rules on the order of speakers, which all providers share. */
export function checkTurns(
  roles: readonly string[],
  { request = false }: WireCheckOptions,
): readonly WireViolation[] {
  return [
    ...when(request && roles.length === 0, "not-empty", [], "there is nothing to send"),
    ...when(
      roles.length > 0 && roles[0] !== "user",
      "starts-with-user",
      [0],
      "the first to speak is the user",
    ),
    ...when(
      request && roles.length > 0 && roles.at(-1) !== "user",
      "ends-with-user",
      [roles.length - 1],
      "the last to speak is the user",
    ),
    ...roles.flatMap((role, at) =>
      when(at > 0 && roles[at - 1] === role, "roles-alternate", [at], `two of ${role} meet`),
    ),
  ];
}

/** Calls and the results of the next turn, one to one. */
export function checkPairs(
  asked: readonly string[],
  answered: readonly string[],
  at: readonly number[],
): readonly WireViolation[] {
  const [calls, results] = [asked.toSorted(), answered.toSorted()];
  const same = calls.length === results.length && calls.every((id, index) => id === results[index]);
  return when(!same, "calls-answered-next", at, `calls [${calls}] are answered by [${results}]`);
}

/** Whether a text has nothing but white space, which providers refuse. */
export function isBlank(text: string): boolean {
  return text.trim() === "";
}
