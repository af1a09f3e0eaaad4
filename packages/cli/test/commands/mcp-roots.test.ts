import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openWorkspace } from "@holdfast/core/node";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, describe, expect, test } from "vitest";
import { Project, program, runHoldfast } from "../process.js";

/** `holdfast mcp` and a real client that names its roots, and changes them. */
const open: Client[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

interface Connected {
  /** The text of a read of this file. */
  read(path: string): Promise<string>;
  change(uris: readonly string[]): Promise<void>;
  told(): string;
}

interface Place {
  readonly cwd: string;
  readonly uris?: readonly string[];
  readonly revision?: "2025-11-25" | "2026-07-28";
  readonly compat?: boolean;
}

async function connect(
  args: readonly string[],
  { cwd, uris, revision = "2025-11-25", compat = false }: Place,
): Promise<Connected> {
  let named = uris;
  const capabilities = uris === undefined ? {} : { roots: { listChanged: true } };
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities, versionNegotiation: { mode: revision === "2025-11-25" ? "legacy" : { pin: revision } } },
  );
  if (uris !== undefined)
    client.setRequestHandler("roots/list", () => ({ roots: (named ?? []).map((uri) => ({ uri })) }));
  const home = new Project().folder;
  const env = { PATH: process.env.PATH ?? "", HOME: home, HOLDFAST_STATE_DIR: join(home, "state") };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp", ...(compat ? ["--compat", "filesystem"] : []), ...args],
    cwd,
    env,
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (part) => {
    said += part;
  });
  await client.connect(transport);
  open.push(client);
  return {
    async read(path) {
      const { content } = await client.callTool(
        compat
          ? { name: "read_text_file", arguments: { path } }
          : { name: "read_file", arguments: { file_path: path } },
      );
      const [part] = content;
      return part?.type === "text" ? part.text : "";
    },
    async change(next) {
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
    const [here, one, two] = ["here", "one", "two"].map((name) => new Project({ "a.txt": `in ${name}\n` }));
    const server = await connect([], { cwd: here!.folder, uris: [uriOf(one!.folder)] });
    expect(await server.read("a.txt")).toContain("in one");
    expect(await server.read(join(here!.folder, "a.txt"))).toContain(nowhere);
    await server.change([uriOf(two!.folder), "http://elsewhere/x"]);
    expect(await server.read("a.txt")).toContain("in two");
    expect(await server.read(join(one!.folder, "a.txt"))).toContain(nowhere);
    expect(server.told()).toContain("the client's root http://elsewhere/x is no folder of this machine");
    await server.change([]);
    expect(await server.read("a.txt")).toContain("in here");
  });

  test("given by --root are narrowed by the client's, and never widened", async () => {
    const project = new Project({ "a.txt": "above\n", "sub/a.txt": "below\n" });
    const other = new Project({ "a.txt": "other\n" });
    const narrow = { cwd: project.folder, uris: [uriOf(join(project.folder, "sub")), uriOf(other.folder)] };
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

  test("that are no folders of this machine are refused in a sentence, and the server goes on", async () => {
    const project = new Project({ "a.txt": "one\n" });
    const server = await connect([], {
      cwd: project.folder,
      uris: ["http://elsewhere/x", "no uri", "file://host/x"],
    });
    const refused = await server.read("a.txt");
    expect(refused).toMatch(
      /^FAILED \(invalid_arguments\): The client's roots \(http:\/\/elsewhere\/x, .* Start the server with --root\./,
    );
    await server.change([uriOf(project.folder)]);
    expect(await server.read("a.txt")).toContain("one");
  });

  const strange = [
    "file://host/x",
    "file:///%zz",
    "file:///a%2Fb",
    "file:///a%00b",
    "file:",
    "file:///",
    "FILE:///no/such/folder",
    "file:///no such/folder",
    "/not/a/uri",
    "\\\\host\\share",
    "javascript:1",
    "",
    `file:///${"x".repeat(70_000)}`,
  ];

  test.each(["file://host/x", ""])(
    "that are named %j are none: a code and a sentence, and nothing outside is touched",
    async (uri) => {
      const project = new Project({ "a.txt": "one\n" });
      const server = await connect([], { cwd: project.folder, uris: [uri] });
      expect(await server.read("a.txt")).toMatch(/^FAILED \([a-z_]+\): [A-Z].*\./);
      expect(await server.read("/etc/hostname")).toMatch(/^FAILED \([a-z_]+\): [A-Z].*\./);
      const given = await connect(["--root", project.folder], { cwd: "/", uris: [uri] });
      expect(await given.read("a.txt")).toContain("one");
      await given.change([uri, uri]);
      expect(await given.read("a.txt")).toContain("one");
    },
  );

  test("are none where they turn into strange names, and are there again where they turn back", async () => {
    const project = new Project({ "a.txt": "one\n" });
    const own = [uriOf(project.folder)];
    const server = await connect([], { cwd: project.folder, uris: own });
    const given = await connect(["--root", project.folder], { cwd: "/", uris: own });
    for (const uri of strange) {
      await server.change([uri]);
      expect(await server.read("a.txt"), uri).toMatch(/^FAILED \([a-z_]+\): [A-Z].*\./);
      expect(await server.read("/etc/hostname"), uri).toMatch(/^FAILED \([a-z_]+\): [A-Z].*\./);
      await server.change(own);
      expect(await server.read("a.txt"), uri).toContain("one");
      await given.change([uri, uri]);
      expect(await given.read("a.txt"), uri).toContain("one");
    }
  });

  test("are not the whole disk because a client starts servers there", async () => {
    const project = new Project({ "a.txt": "one\n" });
    const path = join(project.folder, "a.txt");
    const plain = await connect([], { cwd: "/" });
    expect(await plain.read(path)).toMatch(
      /^FAILED \(invalid_arguments\): The root \/ is the whole disk\. .*--allow-wide-root/,
    );
    const named = await connect([], { cwd: "/", uris: [uriOf(project.folder)] });
    expect(await named.read("a.txt")).toContain("one");
    const asked = await connect(["--allow-wide-root"], { cwd: "/" });
    expect(await asked.read(path)).toContain("one");
  });

  test("of which one is missing are the others, with a word about it", async () => {
    const project = new Project({ "a.txt": "one\n" });
    const gone = join(project.folder, "gone");
    const server = await connect(["--root", gone, "--root", project.folder], { cwd: "/" });
    expect(await server.read("a.txt")).toContain("one");
    expect(server.told()).toContain(`the root ${gone} does not exist and is left out`);
    expect(await runHoldfast(["mcp", "--root", gone])).toMatchObject({ code: 3 });
  });
});

describe.each([
  { revision: "2026-07-28", compat: false },
  { revision: "2025-11-25", compat: true },
  { revision: "2026-07-28", compat: true },
] as const)(
  "the roots of a server of revision $revision, in the filesystem server's place: $compat",
  (kind) => {
    test("are the client's where it names some, and never more than --root gives", async () => {
      const project = new Project({ "a.txt": "above\n", "sub/a.txt": "below\n" });
      const other = new Project({ "a.txt": "other\n" });
      const [top, sub] = [project.folder, join(project.folder, "sub")];
      const named = await connect([], { ...kind, cwd: other.folder, uris: [uriOf(sub)] });
      expect(await named.read("a.txt")).toContain("below");
      expect(await named.read(join(other.folder, "a.txt"))).toContain(nowhere);
      const narrow = { ...kind, cwd: other.folder, uris: [uriOf(sub), uriOf(other.folder)] };
      const narrowed = await connect(["--root", top], narrow);
      expect(await narrowed.read("a.txt")).toContain("below");
      for (const folder of [top, other.folder])
        expect(await narrowed.read(join(folder, "a.txt"))).toContain(nowhere);
      const wide = await connect(["--root", top], { ...kind, cwd: "/", uris: [uriOf("/")] });
      expect(await wide.read("a.txt")).toContain("above");
      expect(await wide.read(join(other.folder, "a.txt"))).toContain(nowhere);
    });

    test("are the folder it was started in where the client names none, and not the whole disk", async () => {
      const project = new Project({ "a.txt": "one\n" });
      for (const uris of [undefined, []]) {
        const server = await connect([], { ...kind, cwd: project.folder, ...(uris ? { uris } : {}) });
        expect(await server.read("a.txt")).toContain("one");
      }
      const disk = await connect([], { ...kind, cwd: "/" });
      expect(await disk.read(join(project.folder, "a.txt"))).toContain(
        "FAILED (invalid_arguments): The root /",
      );
      const named = await connect([], { ...kind, cwd: "/", uris: [uriOf(project.folder)] });
      expect(await named.read("a.txt")).toContain("one");
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
    expect(ended).toMatchObject({ code: 4, stdout: "" });
    expect(ended.stderr).toContain(reason);
    if (root === " ") return;
    const served = await runHoldfast(["mcp", "--root", root, "--allow-wide-root"], { env, cwd: home.folder });
    expect(served).toMatchObject({ code: 0, stderr: "" });
  });

  test("is refused by the library, too, unless it is told", async () => {
    const stateDir = join(home.folder, "state");
    for (const root of ["", "/"]) {
      const refused = await openWorkspace({ roots: [root], stateDir });
      expect(refused).toMatchObject({ kind: "refusal", code: "invalid_arguments" });
    }
    const nul = await openWorkspace({ roots: ["a\0b"], stateDir });
    expect(nul).toMatchObject({ kind: "refusal", code: "file_missing" });
    const opened = await openWorkspace({ roots: ["/"], stateDir, allowWideRoot: true });
    if (opened.kind === "refusal") throw new Error(opened.message);
    await opened.close();
  });

  test("is a command's only where it has no name: who stands in his home folder reads there", async () => {
    expect(await runHoldfast(["read", "work/a.txt"], { env, cwd: home.folder })).toMatchObject({ code: 0 });
    mkdirSync(join(home.folder, "b"), { recursive: true });
    expect(await runHoldfast(["read", "a.txt", "--root", ""], { env, cwd: home.folder })).toMatchObject({
      code: 4,
    });
  });
});
