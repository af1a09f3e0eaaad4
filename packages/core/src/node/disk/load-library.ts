import { createRequire } from "node:module";

/** Loads a library on demand, as a CommonJS module: in a CommonJS bundle, too, where a module has a file name and no URL. */
export function loadLibrary(name: string): unknown {
  // A cast: the type knows nothing of such a bundle.
  const here = (import.meta.url as string | undefined) ?? __filename;
  return createRequire(here)(name);
}
