import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Our engine, as built: `tsc -b` first. HOLDFAST_CORE may name another build's folder.
 *
 * @typedef {{ readonly base: string | null, readonly diff: string, readonly path?: string,
 *   readonly limitMs?: number }} Request
 * @typedef {{ readonly kind: "success", readonly code: string, readonly text: string }
 *   | { readonly kind: "refusal", readonly code: string, readonly message: string }} Outcome
 */
const folder =
  process.env.HOLDFAST_CORE ?? fileURLToPath(new URL("../../packages/core/dist", import.meta.url));
if (!existsSync(`${folder}/patch/index.js`))
  throw new Error("packages/core is not built: run npm run build first.");

/** @type {{ applyDiff: (request: Request) => Outcome,
 *   applyDiffInTurns: (request: Request, pause: () => Promise<unknown>) => Promise<Outcome> }} */
export const { applyDiff, applyDiffInTurns } = await import(`${folder}/patch/index.js`);

/** The node half of the same build. */
export const openNodeHalf = () => import(`${folder}/node/index.js`);

/** The bundled command. */
export const bundle = fileURLToPath(new URL("../../packages/cli/bin/holdfast.js", import.meta.url));
