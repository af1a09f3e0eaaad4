import { installPeers } from "./machine.mjs";

/**
 * The libraries that programs replace files with today, and Node's own way.
 *
 * @typedef {{ readonly name: string, replace(path: string, text: string): Promise<void> }} Peer
 */

const versions = { "write-file-atomic": "8.0.0", atomically: "2.1.1" };

/** Where the libraries are; undefined where they cannot be had. @returns {string | undefined} */
export function peersFolder() {
  const installed = installPeers("peers", versions);
  return installed.kind === "installed" ? installed.folder : undefined;
}

/** @param {string} folder of `peersFolder` @returns {Promise<readonly Peer[]>} */
export async function openPeers(folder) {
  const at = (/** @type {string} */ file) => `${folder}/node_modules/${file}`;
  const wfa = (await import(at("write-file-atomic/lib/index.js"))).default;
  const atomically = await import(at("atomically/dist/index.js"));
  return [
    { name: "write-file-atomic 8.0.0", replace: async (path, text) => wfa.sync(path, text) },
    { name: "atomically 2.1.1", replace: async (path, text) => atomically.writeFileSync(path, text) },
  ];
}
