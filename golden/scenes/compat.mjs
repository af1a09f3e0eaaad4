import { calls, folder, losses } from "../../proof/compat/calls.mjs";
import { openProject } from "../ground.mjs";
import { openServer } from "../server.mjs";

/** The official filesystem server's tools, by the calls that were recorded of its clients. @type {import("../run.mjs").Scene["default"]} */
export default async function compat(ground) {
  const project = openProject(ground);
  for (const [name, content] of Object.entries(folder)) project.put(name, Buffer.from(content, "latin1"));
  const { call, say, close } = await openServer(ground, { flags: ["--compat", "filesystem"] });
  const placed = (
    /** @type {import("../../proof/compat/calls.mjs").Call} */ { name, arguments: args },
    file = "a.txt",
  ) =>
    /** @type {import("../server.mjs").Call} */ ([
      name,
      JSON.parse(
        JSON.stringify(args).replaceAll("{root}/a.txt", project.at(file)).replaceAll("{root}", project.root),
      ),
    ]);
  await call(["tools/list", {}]);
  for (const one of calls) {
    // The size of a folder is the file system's own.
    const isFolder = one.name === "get_file_info" && String(one.arguments.path).endsWith("/src");
    if (!isFolder) await call(placed(one));
  }
  for (const [at, loss] of losses.entries()) {
    const file = `loss-${at}.txt`;
    say(loss.about);
    project.put(file, Buffer.from(loss.bytes, "base64"));
    if (loss.read) await call(placed({ name: "read_text_file", arguments: { path: "{root}/a.txt" } }, file));
    if (loss.meanwhile !== undefined) project.put(file, Buffer.from(loss.meanwhile, "base64"));
    if (loss.together) await call(...loss.calls.map((one) => placed(one, file)));
    else for (const one of loss.calls) await call(placed(one, file));
  }
  return { "compat.txt": await close() };
}
