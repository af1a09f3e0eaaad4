import { describe, expect, it } from "vitest";
import { pathNames } from "../../src/files/access/path-names.js";

const disk = { roots: ["/link", "/more"], realRoots: ["/project", "/more"] };

describe("the names of a file", () => {
  it.each([
    ["relative", "a/b", "/project/a/b", ["a/b", "/link/a/b", "/project/a/b"], undefined, []],
    ["absolute in the first root", "/link/a", "/project/a", ["a", "/link/a", "/project/a"], undefined, []],
    ["in another root", "/more/a", "/more/a", ["/more/a"], undefined, ["a"]],
    ["through a link", "l/a", "/more/a", ["l/a", "/link/l/a", "/project/l/a"], ["/more/a"], ["a"]],
  ] as const)("%s", (_, path, realPath, named, real, within) => {
    expect(pathNames(disk, path, realPath)).toEqual({ named, real: real ?? named, within });
  });

  it("tell in each root where roots lie in one another", () => {
    const nested = { roots: ["/all/project", "/all"], realRoots: ["/all/project", "/all"] };
    expect(pathNames(nested, "a", "/all/project/a")).toEqual({
      named: ["a", "/all/project/a"],
      real: ["a", "/all/project/a"],
      within: ["project/a"],
    });
  });
});
