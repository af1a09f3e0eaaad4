import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { isThere } from "../addon-there.js";
import { Project, program, runHoldfast } from "../process.js";

interface Place {
  readonly cwd: string;
  readonly uris?: readonly string[];
  readonly revision?: "2025-11-25" | "2026-07-28";
  readonly compat?: boolean;
}

/** `holdfast mcp` and a real client that names its roots, and changes them; which roots count is `choose-roots.test.ts`. */
async function connect(
  args: readonly string[],
  { cwd, uris, revision = "2025-11-25", compat = false }: Place,
) {
  let named = uris;
  const capabilities = uris === undefined ? {} : { roots: { listChanged: true } };
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities, versionNegotiation: { mode: revision === "2025-11-25" ? "legacy" : { pin: revision } } },
  );
  if (uris !== undefined)
    client.setRequestHandler("roots/list", () => ({ roots: (named ?? []).map((uri) => ({ uri })) }));
  const home = new Project().folder;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", ...(compat ? ["--compat", "filesystem"] : []), ...args],
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: home, HOLDFAST_STATE_DIR: join(home, "state") },
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (part) => {
    said += part;
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    /** The text of a read of this file. */
    async read(path: string) {
      const call = compat
        ? { name: "read_text_file", arguments: { path } }
        : { name: "read_file", arguments: { file_path: path } };
      const [part] = (await client.callTool(call)).content;
      return part?.type === "text" ? part.text : "";
    },
    async change(next: readonly string[]) {
      named = next;
      await client.notification({ method: "notifications/roots/list_changed" });
    },
    told: () => said,
  };
}

const uriOf = (folder: string) => pathToFileURL(folder).href;
const nowhere = "outside_workspace";

describe("the roots of a server", () => {
  test("are the client's where it names some, whatever folder it was started in, and follow their changes", async () => {
    const here = new Project({ "a.txt": "in here\n" });
    const [one, two] = [new Project({ "a.txt": "in one\n" }), new Project({ "a.txt": "in two\n" })];
    const server = await connect([], { cwd: here.folder, uris: [uriOf(one.folder)] });
    expect(await server.read("a.txt")).toContain("in one");
    expect(await server.read(join(here.folder, "a.txt"))).toContain(nowhere);
    await server.change([uriOf(two.folder), "http://elsewhere/x"]);
    expect(await server.read("a.txt")).toContain("in two");
    expect(await server.read(join(one.folder, "a.txt"))).toContain(nowhere);
    expect(server.told()).toContain("the client's root http://elsewhere/x is no folder of this machine");
    await server.change(["http://elsewhere/x", "no uri", "file://host/x"]);
    expect(await server.read("a.txt")).toMatch(
      /^FAILED \(invalid_arguments\): The client's roots \(http:\/\/elsewhere\/x, .* Start the server with --root\./,
    );
    await server.change([]);
    expect(await server.read("a.txt")).toContain("in here");
  });

  test("given by --root are narrowed by the client's, and never widened", async () => {
    const project = new Project({ "a.txt": "above\n", "sub/a.txt": "below\n" });
    const other = new Project({ "a.txt": "other\n" });
    const narrow = { cwd: "/", uris: [uriOf(join(project.folder, "sub")), uriOf(other.folder)] };
    const server = await connect(["--root", project.folder], narrow);
    expect(await server.read("a.txt")).toContain("below");
    for (const folder of [project.folder, other.folder])
      expect(await server.read(join(folder, "a.txt"))).toContain(nowhere);
    for (const wide of [uriOf("/"), uriOf(other.folder), "http://elsewhere/"]) {
      await server.change([wide]);
      expect(await server.read("a.txt")).toContain("above");
      expect(await server.read(join(other.folder, "a.txt"))).toContain(nowhere);
    }
  });
});

const kinds = [
  { revision: "2026-07-28", compat: false },
  { revision: "2025-11-25", compat: true },
] as const;

describe.each(kinds.filter(({ compat }) => !compat || isThere("hosts")))(
  "the roots of a server of revision $revision, in the filesystem server's place: $compat",
  (kind) => {
    test("are the client's where it names some, and never more than --root gives", async () => {
      const project = new Project({ "a.txt": "above\n", "sub/a.txt": "below\n" });
      const other = new Project({ "a.txt": "other\n" });
      const uris = [uriOf(join(project.folder, "sub")), uriOf(other.folder)];
      const narrowed = await connect(["--root", project.folder], { ...kind, cwd: "/", uris });
      expect(await narrowed.read("a.txt")).toContain("below");
      for (const folder of [project.folder, other.folder])
        expect(await narrowed.read(join(folder, "a.txt"))).toContain(nowhere);
    });

    test("are the folder it was started in where the client names none, and not the whole disk", async () => {
      const project = new Project({ "a.txt": "one\n" });
      const server = await connect([], { ...kind, cwd: project.folder, uris: [] });
      expect(await server.read("a.txt")).toContain("one");
      const disk = await connect([], { ...kind, cwd: "/" });
      expect(await disk.read(join(project.folder, "a.txt"))).toMatch(
        /FAILED \(invalid_arguments\): The root \/ is the whole disk\. .*--allow-wide-root/,
      );
    });
  },
);

describe("a root that nobody means", () => {
  const home = new Project({ "work/a.txt": "one\n" });
  const env = { HOME: home.folder };
  const cases = [
    ["", "names no folder"],
    [" ", "names no folder"],
    ["/", "is the whole disk"],
    [home.folder, "holds your home folder"],
    [`${home.folder}/work/..`, "holds your home folder"],
    [join(home.folder, ".."), "holds your home folder"],
  ] as const;
  test.each(cases)("%j is refused by a server: it %s", async (root, reason) => {
    const ended = await runHoldfast(["mcp", "--root", root], { env });
    expect(ended).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining(reason) });
    if (root === " ") return;
    const served = await runHoldfast(["mcp", "--root", root, "--allow-wide-root"], { env, cwd: home.folder });
    expect(served).toMatchObject({ code: 0, stderr: "" });
  });

  test("is left out where it is missing, and refused where it is the only one", async () => {
    const gone = join(home.folder, "gone");
    const args = ["mcp", "--root", gone];
    expect(await runHoldfast(args)).toMatchObject({ code: 3 });
    const served = await runHoldfast([...args, "--root", join(home.folder, "work")]);
    const word = expect.stringContaining(`the root ${gone} does not exist and is left out`);
    expect(served).toMatchObject({ code: 0, stderr: word });
  });

  test("is a command's only where it has no name: who stands in his home folder reads there", async () => {
    expect(await runHoldfast(["read", "work/a.txt"], { env, cwd: home.folder })).toMatchObject({ code: 0 });
    mkdirSync(join(home.folder, "b"), { recursive: true });
    const unnamed = await runHoldfast(["read", "a.txt", "--root", ""], { env, cwd: home.folder });
    expect(unnamed).toMatchObject({ code: 4 });
  });
});
