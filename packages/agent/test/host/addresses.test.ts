import { describe, expect, test } from "vitest";
import { isLinkAddress, isPublicAddress } from "../../src/host/addresses.js";

describe("an address", () => {
  test.each([
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:a9fe:a9fe",
    "0:0:0:0:0:ffff:10.0.0.1",
    "::127.0.0.1",
    "64:ff9b::10.0.0.1",
    "2002:7f00:1::",
    "2001:db8::1",
    "2001::1",
    "localhost",
    "",
  ])("%s is not public", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "172.32.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
  ])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("an address of the link, or of a machine's metadata", () => {
  test.each([
    ["169.254.169.254", true],
    ["::ffff:169.254.169.254", true],
    ["64:ff9b::a9fe:a9fe", true],
    ["fe80::1%eth0", true],
    ["fd00:ec2::254", true],
    ["100.100.100.200", true],
    ["127.0.0.1", false],
    ["10.0.0.1", false],
    ["::1", false],
    ["fd00::1", false],
    ["1.1.1.1", false],
    ["localhost", false],
  ])("%s: %s", (address, is) => {
    expect(isLinkAddress(address)).toBe(is);
  });
});
