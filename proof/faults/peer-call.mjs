/** One replacement by a peer. Arguments: folder of the peers, name of the peer, file, file with the new text. */
import { readFileSync } from "node:fs";
import { openPeers } from "../peers.mjs";

const [folder = "", name = "", path = "", source = ""] = process.argv.slice(2);
const peer = (await openPeers(folder)).find((candidate) => candidate.name === name);
if (peer === undefined) throw new Error(`no such peer: ${name}`);
try {
  await peer.replace(path, readFileSync(source, "utf8"));
  console.log("replaced");
} catch (error) {
  console.log(String(error));
}
