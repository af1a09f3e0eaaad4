/** The add-ons that this very bundle holds, by name: none, unless `scripts/bundle.mjs` puts them here. */
export const addonsWithin: { readonly [name: string]: (() => Promise<unknown>) | undefined } = {};
