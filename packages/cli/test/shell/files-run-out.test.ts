import { expect, it } from "vitest";
import { filesRunOut } from "../../src/shell/files-run-out.js";

const failed = (code: string) => Object.assign(new Error(code), { code });
const sentence = (code: string, limit?: string) => filesRunOut(failed(code), () => limit);

it("a limit is called too low only where it is", () => {
  expect(sentence("EMFILE", "64")).toContain('(64) is too low: raise it, as with "ulimit -n 1024"');
  expect(sentence("EMFILE", "1048576")).toContain("as this process may have (1048576):");
  for (const limit of ["1024", "1048576", "unlimited", undefined]) {
    expect(sentence("EMFILE", limit)).not.toContain("too low");
    expect(sentence("EMFILE", limit)).not.toMatch(/unlimited|undefined|NaN/);
  }
});

it("the system's own limit and other errors are told apart", () => {
  expect(sentence("ENFILE", "64")).toContain("fs.file-max");
  expect(sentence("EACCES", "64")).toBeUndefined();
});
