/** Put in by the bundler from package.json, so that nothing has to be read to tell it. */
declare const HOLDFAST_VERSION: string | undefined;

export const version = typeof HOLDFAST_VERSION === "string" ? HOLDFAST_VERSION : "unbuilt";
