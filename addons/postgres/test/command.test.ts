import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Project } from "../../../packages/cli/test/process.js";
import { type Cluster, findServer, startCluster } from "../../../proof/postgres/cluster.mjs";
import { has } from "../../../test/tools.js";

const bin = findServer();

describe.runIf(has("initdb"))("sessions of a PostgreSQL server", () => {
  const project = new Project();
  let cluster: Cluster;
  let address = "";

  beforeAll(async () => {
    cluster = await startCluster(bin ?? "");
    const { user, host, port, database } = cluster.connection;
    address = `postgres://${user}@${host}:${port}/${database}`;
  });
  afterAll(() => cluster?.dispose());

  const session = [
    { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00Z", cwd: "/x" },
    { type: "message", id: "a", parentId: null, message: { role: "user", content: "hello" } },
  ];

  test("are imported, found, shown and deleted by the same commands", async () => {
    const input = session.map((line) => JSON.stringify(line)).join("\n");
    const store = ["--store", address];
    const imported = await project.run(["sessions", "import", "-", "--json", ...store], { input });
    expect(imported, imported.stderr).toMatchObject({ code: 0 });
    const { id } = JSON.parse(imported.stdout);
    expect((await project.run(["sessions", "list", ...store])).stdout).toContain(`${id}  `);
    const env = { HOLDFAST_STORE: address };
    expect((await project.run(["sessions", "search", "hel+o"], { env })).stdout).toContain(
      "user_message: hello",
    );
    const page = await project.run(["history", "export", id.slice(0, 9), "--html"], { env });
    const [, packed = ""] = /id="holdfast-session">([^<]*)</u.exec(page.stdout) ?? [];
    expect(gunzipSync(Buffer.from(packed, "base64")).toString()).toContain('"hello"');
    expect((await project.run(["sessions", "verify"], { env })).stdout).toContain("sound");
    const other = ["--tenant", "other"];
    expect((await project.run(["sessions", "list", ...other], { env })).stdout).toBe("");
    const would = await project.run(["sessions", "prune", "--older-than", "2026-01-02", "--dry-run"], {
      env,
    });
    expect(would.stdout).toMatch(new RegExp(`^${id} .*\nWould delete 1 session, `));
    expect((await project.run(["sessions", "list", ...other])).stderr).toContain(
      "--tenant goes with --store",
    );
    expect(await project.run(["sessions", "rm", id, "--yes"], { env })).toMatchObject({ code: 0 });
    expect((await project.run(["sessions", "list"], { env })).stdout).toBe("");
    expect((await project.run(["sessions", "list"])).stdout, "the state folder has none of it").toBe("");
  });
});
