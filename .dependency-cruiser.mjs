/**
 * The law of the house. A room may import only the rooms written before it; a room of core enters another by its
 * door, index.ts. `test/law.test.ts` plants a breach of every rule and sees it fail.
 */
export const rooms = {
  core: ["text", "patch", "files", "conversation", "context", "economy", "tools", "node"],
  agent: ["shell", "config", "models", "host", "input", "loop", "slash", "headless", "ui", "shown"],
};

/** Rooms that consist of rooms, in the order in which these may import; what all of them share comes first. */
export const subRooms = {
  "core/patch": ["model", "compare", "read", "locate", "explain", "apply", "replace", "section"],
  "core/files": ["lines", "values", "ignore", "seen", "access", "reading", "change", "sets", "workspace"],
  "core/conversation": ["values", "tree", "journal", "follow", "import", "sessions"],
  "core/context": ["layout", "render", "providers", "debug"],
  "core/tools": ["wire", "tool", "file-tools", "run", "conversation"],
  "core/node": ["disk", "commit", "search", "state-folder", "change-sets", "journal", "workspace"],
  "agent/ui": ["lines", "linear", "diff", "asking", "terminal"],
};

/** Sub-rooms of core that are doors of their own: through one alone too many names would pass. */
export const subDoors = [
  "files/values",
  "files/seen",
  "conversation/values",
  "conversation/journal",
  "conversation/import",
];

/** A third-party library and the only place that may know it. */
const homes = {
  diff: "^packages/core/src/patch/",
  zod: "^(packages/(core/src/tools|mcp/src|agent/src/(config|host))|addons/(hosts/src/compat|(mcp-client|web)/src))/",
  re2js: "^packages/core/src/files/",
  "markdown-it": "^(packages/core/src/patch/section|addons/(page/src/browser|screen/src/markdown))/",
  "highlight.js": "^addons/screen/src/markdown/",
  yaml: "^packages/core/src/(context|files/change)/",
  "smol-toml": "^packages/(core/src/files/change|agent/src/input)/",
  saxes: "^packages/core/src/files/change/",
  chardet: "^packages/core/src/node/",
  "iconv-lite": "^packages/core/src/node/",
  "fs-native-extensions": "^packages/core/src/node/",
  pg: "^addons/postgres/src/",
  kysely: "^addons/postgres/src/",
  "@modelcontextprotocol/server": "^(packages/mcp/src|addons/hosts/src/compat)/",
  "@modelcontextprotocol/client": "^addons/mcp-client/src/",
  "get-east-asian-width": "^packages/agent/src/ui/lines/",
  commander: "^packages/cli/src/",
  "jsonc-parser": "^packages/(cli/src|agent/src/config)/",
  "@decimalturn/toml-patch": "^addons/hosts/src/(setup|rules)/",
  genkit: "^addons/adapters/src/genkit[.]ts$",
  ai: "^addons/adapters/src/ai-sdk[.]ts$",
  "@anthropic-ai": "^(addons/adapters/src/anthropic[.]ts$|packages/agent/src/models/)",
  openai: "^packages/agent/src/models/",
  "@google/genai": "^packages/agent/src/models/",
  deepagents: "^addons/adapters/src/deepagents[.]ts$",
  "@mastra": "^addons/adapters/src/mastra[.]ts$",
  "@google/adk": "^addons/adapters/src/google-adk[.]ts$",
  llamaindex: "^addons/adapters/src/llamaindex[.]ts$",
};

/** Packages that share only core's doors and never meet; cli composes them. */
const siblings = ["mcp", "agent"];

/** What is not the house: each add-on uses these packages of the house, by their doors, and can be taken out. */
export const addons = {
  adapters: ["core"],
  "google-files": ["core", "agent"],
  hosts: ["core", "mcp"],
  importers: ["core"],
  "mcp-client": ["core", "agent"],
  page: ["core"],
  postgres: ["core"],
  sandbox: ["core", "agent"],
  screen: ["core", "agent"],
  tour: ["core", "agent"],
  web: ["core", "agent"],
};

/** One adapter a framework, one file an adapter: these are also the add-on's doors. */
const adapters = "genkit|ai-sdk|anthropic|deepagents|mastra|google-adk|llamaindex";

/** Peers of the adapters, which are installed in examples/ only. */
const peers = "^(genkit|ai|@anthropic-ai/sdk|deepagents|@mastra/core|@google/adk|llamaindex)$";

/** The only files that may touch the operating system. */
const edge =
  "^(packages/(core/src/node|agent/src/(config|host|ui/terminal)|cli/(src|bin))|addons/(?!adapters/)[^/]+/src)/";

const forbid = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

const orderOf = (pkg, order) =>
  order.map((room, at) => {
    const later = [...order.slice(at + 1).map((name) => `${name}/`), "[^/]+$"];
    return forbid(
      `order-${pkg}-${room}`,
      "imports flow one way: a room imports earlier rooms only, and never its package's front door",
      { path: `^packages/${pkg}/src/${room}/` },
      { path: `^packages/${pkg}/src/(${later.join("|")})` },
    );
  });

const orderInside = (place, order) => {
  const [pkg, room] = place.split("/");
  const root = `^packages/${pkg}/src/${room}/`;
  const name = `${pkg}-${room}`;
  return [
    ...order.map((subRoom, at) => {
      const later = [...order.slice(at + 1).map((other) => `${other}/`), "[^/]+$"];
      return forbid(
        `order-${name}-${subRoom}`,
        "a sub-room imports earlier sub-rooms only, and never its room's door",
        { path: `${root}${subRoom}/` },
        { path: `${root}(${later.join("|")})` },
      );
    }),
    forbid(
      `listed-${name}`,
      "a new sub-room is added to the table first; the room itself holds its door only",
      {},
      { path: `${root}(?!(${order.join("|")})/|index[.]ts$)` },
    ),
  ];
};

export default {
  forbidden: [
    ...Object.entries(rooms).flatMap(([pkg, order]) => orderOf(pkg, order)),
    ...Object.entries(rooms).map(([pkg, order]) =>
      forbid(
        `listed-${pkg}`,
        "a new room is added to the table first",
        {},
        { path: `^packages/${pkg}/src/(?!(${order.join("|")})/)[^/]+/` },
      ),
    ),
    ...Object.entries(subRooms).flatMap(([place, order]) => orderInside(place, order)),
    forbid(
      "use-the-door",
      "another room of core is entered by an index.ts that is a door of the package, too",
      { path: "^packages/core/src/([^/]+)/" },
      {
        path: "^packages/core/src/[^/]+/",
        pathNot: ["^packages/core/src/$1/", `^packages/core/src/([^/]+|${subDoors.join("|")})/index[.]ts$`],
      },
    ),
    forbid(
      "core-stands-alone",
      "core knows no other package",
      { path: "^packages/core/" },
      { path: "^(packages/(?!core/)|addons/)" },
    ),
    ...siblings.map((name) =>
      forbid(
        `${name}-meets-only-core`,
        "the packages share only core; cli composes them",
        { path: `^packages/${name}/` },
        { path: `^(packages/(?!(${name}|core)/)|addons/)` },
      ),
    ),
    forbid(
      "house-needs-no-addon",
      "an add-on can be taken out: the command loads it by a name that it computes",
      { path: "^packages/cli/src/" },
      { path: "^addons/" },
    ),
    ...Object.entries(addons).map(([name, used]) =>
      forbid(
        `addon-${name}-by-the-doors`,
        "an add-on uses the doors of the house that the table names, and no other add-on",
        { path: `^addons/${name}/src/` },
        { path: `^(packages/(?!(${used.join("|")})/)|addons/(?!${name}/))` },
      ),
    ),
    forbid(
      "listed-addons",
      "a new add-on is added to the table first",
      { path: `^addons/(?!(${Object.keys(addons).join("|")})/)` },
      {},
    ),
    forbid(
      "core-by-its-doors",
      "core is entered by its front door or by the door of a room",
      { path: "^(packages/(?!core/)|addons/)[^/]*/?src/" },
      {
        path: "^packages/core/(src|dist)/",
        pathNot: `^packages/core/(src|dist)/((${[...rooms.core, ...subDoors].join("|")})/)?index[.](ts|js|d[.]ts)$`,
      },
    ),
    ...siblings.map((name) =>
      forbid(
        `${name}-by-its-door`,
        "the package is entered by its index, or by the door of its host or one for terminals",
        { path: `^(packages/(?!${name}/)[^/]+|addons/[^/]+)/src/` },
        {
          path: `^packages/${name}/(src|dist)/`,
          pathNot: `^packages/${name}/(src|dist)/((host|ui|shown)/)?index[.](ts|js|d[.]ts)$`,
        },
      ),
    ),
    forbid(
      "no-screen-unasked",
      "who uses the agent as a library loads nothing of a terminal",
      { path: "^packages/agent/src/index[.]ts$" },
      { path: "^packages/agent/src/(ui|shown)/" },
    ),
    forbid(
      "adapters-stay-apart",
      "who installs one framework needs no other",
      { path: `^addons/adapters/src/(${adapters})[.]ts$` },
      { path: `^addons/adapters/src/(${adapters})[.]ts$`, pathNot: "^addons/adapters/src/$1[.]ts$" },
    ),
    forbid(
      "io-at-the-edge",
      "only these files touch the operating system",
      { path: "^(packages|addons)/[^/]+/src/", pathNot: edge },
      { dependencyTypes: ["core"] },
    ),
    ...Object.entries(homes).map(([library, home]) =>
      forbid(
        `home-of-${library}`,
        "a third-party library has one home",
        { path: "^(packages|addons)/[^/]+/src/", pathNot: home },
        { path: `(^|node_modules/)${library}(/|$)` },
      ),
    ),
    forbid("no-cycle", "no two files need each other", {}, { circular: true }),
    {
      ...forbid("no-folder-cycle", "no two folders need each other", {}, { circular: true }),
      scope: "folder",
    },
    forbid(
      "resolvable",
      "every import exists, here or as a peer in the examples",
      {},
      { couldNotResolve: true, pathNot: peers },
    ),
    forbid(
      "declared",
      "src uses only its own package's dependencies",
      { path: "^(packages/(?!cli/)[^/]+|addons/[^/]+)/src/" },
      { dependencyTypes: ["npm-no-pkg", "npm-unknown", "npm-dev"] },
    ),
    forbid(
      "declared-or-bundled",
      "the command's own package has what it needs: as a dependency, or in its bundle",
      { path: "^packages/cli/src/" },
      { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    ),
    forbid(
      "no-test-in-src",
      "what is shipped never imports tests",
      { path: "^(packages|addons)/[^/]+/src/" },
      { path: "(^|/)test/" },
    ),
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(packages|addons)/[^/]+/(dist|test/.*/scenarios)/" },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["holdfast-source", "import", "default"],
      extensions: [".ts", ".js"],
    },
  },
};
