import { promises as dns, type LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { compileGlob } from "@holdfast/core/files";
import { isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import { escapeForDisplay } from "@holdfast/core/text";
import { isLinkAddress, isPublicAddress } from "./addresses.js";

/** Which hosts may be asked: for a page, or by a command in a sandbox. */
export interface AllowedHosts {
  /**
   * Globs for names of hosts, such as `*.example.com`; nothing is fetched from another one. Only public addresses are
   * taken, but for `localhost` and for an address, both named letter by letter. Link-local ones never are.
   */
  readonly allowedHosts: readonly string[];
}

/** A refusal where the name of a host is not among those that are allowed; nothing is looked up. */
export async function refuseHost(url: URL, { allowedHosts }: AllowedHosts): Promise<Refusal | undefined> {
  const host = hostOf(url);
  if (isNamed(host, allowedHosts) || (await matchesAny(host, allowedHosts))) return undefined;
  return refuse("denied", `The host ${escapeForDisplay(host)} is not among those that may be fetched from.`);
}

/** The addresses of a host by which it may be reached. */
export async function allowedAddresses(
  url: URL,
  policy: AllowedHosts,
): Promise<readonly LookupAddress[] | Refusal> {
  const host = hostOf(url);
  const shown = escapeForDisplay(host);
  const refused = await refuseHost(url, policy);
  if (refused !== undefined) return refused;
  const family = isIP(host);
  const found = family === 0 ? await dns.lookup(host, { all: true }) : [{ address: host, family }];
  // Whoever answers for another name chooses its address.
  const isOwn = isNamed(host, policy.allowedHosts) && (family !== 0 || host === "localhost");
  const taken = found.filter(({ address }) => (isOwn ? !isLinkAddress(address) : isPublicAddress(address)));
  if (taken.length > 0) return taken;
  const why = found.every(({ address }) => isLinkAddress(address))
    ? "a link-local address, or one for metadata of a machine, from which nothing is fetched"
    : "a private address; that has to be allowed itself, letter by letter, or be `localhost`";
  return refuse("denied", `The host ${shown} has ${why}.`);
}

function hostOf({ hostname }: URL): string {
  return bare(hostname);
}

/** The host without the brackets of an IPv6 address and without the dot at its end. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}

function isNamed(host: string, allowedHosts: readonly string[]): boolean {
  return allowedHosts.some((allowed) => bare(allowed.toLowerCase()) === host);
}

async function matchesAny(host: string, patterns: readonly string[]): Promise<boolean> {
  for (const pattern of patterns) {
    const glob = await compileGlob(pattern.toLowerCase());
    if (!isRefusal(glob) && glob.matches(host)) return true;
  }
  return false;
}
