import { describe, expect, it } from "vitest";
import { type ReceivedRequest, responsesWire, wires } from "../../../agent/test/loopback/index.js";
import { isThere } from "../addon-there.js";
import { call, done, linesOf, type Provided, provided } from "./provided.js";

const code = 'export const greet = (name: string) => "Hello, " + name;\n';
const edits = [{ old_string: "Hello", new_string: "Good day" }];
const base_content_sha256 = "{{sha256:greet.ts}}";
const threeTurns = [
  { calls: [call("read_file", { file_path: "greet.ts" })] },
  { calls: [call("edit_file", { file_path: "greet.ts", base_content_sha256, edits })] },
  done,
];
const bytesOf = ({ text }: ReceivedRequest) => Buffer.byteLength(text);
const sizesOf = ({ server }: Provided) => server.requests.map(bytesOf);

describe.each(wires)("over $name, with the default tools", (wire) => {
  it("begins with at most 9,000 bytes, and reads, edits and answers with at most 30,000", async () => {
    const ground = await provided(wire, threeTurns, { "greet.ts": code });
    const ran = await ground.run(["-p", "Greet in a formal way.", "--approval-mode", "yolo"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0, stdout: "Done.\n" });
    expect(ground.project.text("greet.ts")).toBe(code.replace("Hello", "Good day"));
    const sizes = sizesOf(ground);
    expect(sizes).toHaveLength(3);
    expect(sizes[0]).toBeLessThanOrEqual(9_000);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(30_000);
  });
});

/** A server of so many tools, each of which answers with its name and what it got. */
const serverOf = (
  count: number,
) => `let t="";process.stdin.on("data",(d)=>{t+=d;for(let i;(i=t.indexOf("\\n"))>=0;){const m=JSON.parse(t.slice(0,i));t=t.slice(i+1);
  const answer=(result)=>console.log(JSON.stringify({jsonrpc:"2.0",id:m.id,result}));
  if(m.method==="initialize")answer({protocolVersion:m.params.protocolVersion,capabilities:{tools:{}},serverInfo:{name:"s",version:"1"}});
  const inputSchema={type:"object",properties:{title:{type:"string",description:"The title of what is to be found or made"}}};
  if(m.method==="tools/list")answer({tools:Array.from({length:${count}},(_,at)=>({name:"action_"+at,description:at===41?"Opens an issue":"Does the action "+at,inputSchema}))});
  if(m.method==="tools/call")answer({content:[{type:"text",text:m.params.name+" got "+JSON.stringify(m.params.arguments)}]});}});`;

describe.skipIf(!isThere("mcp-client"))("tools of MCP servers", () => {
  const with60 = (script: object[], more: object = {}) => {
    const mcpServers = { tracker: { command: process.execPath, args: ["-e", serverOf(60)] } };
    return provided(responsesWire, script, {}, { mcpServers, ...more });
  };
  const open = call("more_tools", { name: "tracker__action_41", args: { title: "A fault" } });
  const script = [{ calls: [call("more_tools", { find: "open an issue" })] }, { calls: [open] }, done];

  it("are found and called by one tool where they are many, and the prompt begins the same", async () => {
    const ground = await with60(script);
    const ran = await ground.run(["-p", "Open one.", "--approval-mode", "yolo", "-o", "stream-json"]);
    expect(ran.code, ran.stderr).toBe(0);
    const results = linesOf(ran).filter(({ type }) => type === "tool_result");
    expect(results[0]?.output).toContain('"name":"tracker__action_41"');
    expect(results[1]?.output).toContain('action_41 got {"title":"A fault"}');
    expect(sizesOf(ground)[0]).toBeLessThanOrEqual(9_100);
    // A cast: the server took the requests, so that this is their form.
    const tools = ground.server.requests.map(({ body }) => JSON.stringify((body as Offered).tools));
    expect(new Set(tools).size).toBe(1);
    expect(tools[0]).toContain("tracker__*");
  });

  it("are judged by their own names, which a model may also call at once", async () => {
    const rules = [{ tool: "tracker__*", decision: "deny" }];
    const direct = { calls: [call("tracker__action_41", { title: "A fault" })] };
    const ground = await with60([...script.slice(0, 2), direct, done], { approval: { rules } });
    const ran = await ground.run(["-p", "Open one.", "--approval-mode", "yolo", "-o", "json"]);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      tools: { more_tools: { failed: 0 }, tracker__action_41: { calls: 2, failed: 2 } },
      undone: [{ name: "tracker__action_41", code: "denied" }],
    });
  });

  it("are all listed where the settings leave out the tool that finds them", async () => {
    const ground = await with60([done], { tools: { excluded: ["more_tools", "conversation"] } });
    expect((await ground.run(["-p", "Hello."])).code).toBe(0);
    const [{ text } = { text: "" }] = ground.server.requests;
    expect(text).toContain('"name":"tracker__action_59"');
    expect(text).not.toMatch(/"name":"(more_tools|conversation|undo_edit)"/u);
  });
});

interface Offered {
  readonly tools: readonly object[];
}
