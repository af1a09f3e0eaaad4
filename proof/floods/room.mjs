import { readFileSync } from "node:fs";
import { built } from "../machine.mjs";

/** All that a door may ever hold, in MB of its whole process. */
export const mostMegabytes = 300;

/** How the command is started: as shipped, with a small heap. @param {readonly string[]} args */
export function smallHeap(args) {
  return ["--max-old-space-size=100", built.cli, ...args];
}

/** Counted where the process held more. @param {number} megabytes */
export function tooMuch(megabytes) {
  return { "above 300 MB": megabytes > mostMegabytes ? 1 : 0 };
}

/** The most memory that a living process ever had, in MB; 0 where the system does not tell. @param {number | undefined} pid */
export function peakMegabytes(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024);
  } catch {
    return 0;
  }
}
