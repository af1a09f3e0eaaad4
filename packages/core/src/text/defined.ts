/** An object whose members are never undefined: those of `T` that can be are optional. */
export type Defined<T extends object> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/**
 * The members that are not undefined, in their order. Under `exactOptionalPropertyTypes` an optional member
 * is absent or has a value: `{ path, ...defined({ title }) }` has no `title` where that is undefined.
 */
export function defined<T extends object>(members: T): Defined<T> {
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) if (value !== undefined) rest[name] = value;
  // The compiler cannot follow a loop over names: what is left is what the type says.
  return rest as Defined<T>;
}
