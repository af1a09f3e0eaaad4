import { promises as dns, type LookupAddress } from "node:dns";
import { BlockList, isIP } from "node:net";
import { compileGlob } from "@holdfast/core/files";
import { isRefusal, type Refusal, refuse } from "@holdfast/core/files/values";
import { escapeForDisplay } from "@holdfast/core/text";

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

/** Whether an address is of the public internet: not of this machine, of a private net or for a special use. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, "ipv4");
  if (family !== 6) return false;
  const embedded = embeddedIPv4(address);
  // Through such an address the other net is reached.
  if (embedded !== undefined) return isPublicAddress(embedded);
  return open6.check(address, "ipv6") && !closed.check(address, "ipv6");
}

/**
 * Whether an address is of the link alone, or of what a cloud tells its machines (their keys among it): nobody means a page
 * by that, whatever its name is.
 */
export function isLinkAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return link.check(address, "ipv4");
  if (family !== 6) return false;
  const embedded = embeddedIPv4(address);
  return embedded === undefined ? link.check(address, "ipv6") : isLinkAddress(embedded);
}

const link = new BlockList();
link.addSubnet("169.254.0.0", 16, "ipv4");
link.addSubnet("fe80::", 10, "ipv6");
// Metadata of Alibaba, of Oracle in its first days, and of Amazon in IPv6: not link-local, but of the same use.
link.addAddress("100.100.100.200", "ipv4");
link.addAddress("192.0.0.192", "ipv4");
link.addSubnet("fd00:ec2::", 32, "ipv6");

/** Nets that are nobody's on the internet (IANA, special-purpose address registries). */
const closed = new BlockList();
for (const [net, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  closed.addSubnet(net, prefix, "ipv4");
for (const [net, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["3fff::", 20],
] as const)
  closed.addSubnet(net, prefix, "ipv6");

/** Everything public in IPv6. */
const open6 = new BlockList();
open6.addSubnet("2000::", 3, "ipv6");

/** The IPv4 address in one that maps (::ffff:), translates (64:ff9b::) or tunnels (2002:) it. */
function embeddedIPv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const [first = 0, second = 0] = groups;
  const last = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && [0xffff, 0].includes(groups[5] ?? 1);
  const isTranslated = first === 0x64 && second === 0xff9b;
  if (isMapped || isTranslated) return dotted(last);
  return first === 0x2002 ? dotted(groups.slice(1, 3)) : undefined;
}

function dotted([high = 0, low = 0]: readonly number[]): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

/** The eight groups of an IPv6 address that `isIP` takes for one. */
function groupsOf(address: string): readonly number[] {
  const [bare = ""] = address.split("%");
  // An end in dots is two groups.
  const plain = bare.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: readonly string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [before = "", after] = plain.split("::");
  const read = (text: string) =>
    text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
  if (after === undefined) return read(before);
  const [head, tail] = [read(before), read(after)];
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => 0);
  return [...head, ...zeros, ...tail];
}
