import { createRandom } from "./random.mjs";

/**
 * Whole files as they are written in several languages, made here: functions that say the same, templates,
 * markup with entities, Python, Go with tabs, lists, JSON, YAML, CRLF, comments with a star at the margin. What
 * uniqueness and depth have to be proved on.
 *
 * @returns {import("./texts.mjs").Source[]}
 */
export function makeForms() {
  const random = createRandom("whole files");
  return forms.flatMap(({ file, head, block, tail, eol = "\n" }) =>
    [0, 1, 2].map((copy) => {
      const words = random.shuffle(names);
      const count = random.between(6, 10 + 8 * copy);
      const blocks = Array.from({ length: count }, (_, n) => {
        const word = words[n % words.length] ?? "Other";
        return block(n < words.length ? word : `${word}${n}`, n, random);
      });
      const lines = [...head, ...blocks.flat(), ...tail];
      return { name: `forms/${copy}-${file}`, text: lines.map((line) => line + eol).join("") };
    }),
  );
}

/**
 * @typedef {{ readonly file: string, readonly eol?: string, readonly head: readonly string[],
 *   readonly tail: readonly string[],
 *   block(name: string, n: number, random: import("./random.mjs").Random): readonly string[] }} Form
 */

const names = [
  "Reader",
  "Writer",
  "Index",
  "Cache",
  "Parser",
  "Router",
  "Field",
  "Flag",
  "Number",
  "Queue",
  "Ledger",
  "Journal",
];

/** @param {string} name */
const low = (name) => name.toLowerCase();

/** @type {readonly Form[]} */
const forms = [
  {
    file: "fields.py",
    head: ["from base import Field", "", ""],
    block: (name, n) => [
      `class ${name}(Field):`,
      `    """The field of ${low(name)}s."""`,
      "",
      "    def prep(self, value):",
      "        value = super().prep(value)",
      "        if value is None:",
      "            return None",
      `        return ${["int", "bool", "str"][n % 3]}(value)`,
      "",
      "    def name(self):",
      `        return "${low(name)}"`,
      "",
      "",
    ],
    tail: ["def main():", "    run()", ""],
  },
  {
    file: "steps.go",
    head: ["package steps", "", 'import "fmt"', ""],
    block: (name, n) => [
      `func Run${name}(ctx Context) error {`,
      `\tif err := open${name}(ctx); err != nil {`,
      "\t\treturn err",
      "\t}",
      "\tfor _, item := range ctx.Items {",
      '\t\tfmt.Println("step", item)',
      "\t\tif item.Done {",
      "\t\t\tcontinue",
      "\t\t}",
      `\t\titem.Level = ${n % 3}`,
      "\t}",
      "\treturn nil",
      "}",
      "",
    ],
    tail: ["func main() {}"],
  },
  {
    file: "list.html",
    head: ["{% extends base %}", "{% block body %}", "<ul>"],
    block: (name, n) => [
      '  <li class="item">',
      `    {% if ${low(name)}.open %}`,
      `      <a href="{{ ${low(name)}.url }}">{{ ${low(name)}.name }}</a>`,
      "    {% else %}",
      "      <span>closed</span>",
      "    {% endif %}",
      ...(n % 2 === 0 ? ["    <br>"] : []),
      "  </li>",
    ],
    tail: ["</ul>", "{% endblock %}"],
  },
  {
    file: "manual.xml",
    head: ['<?xml version="1.0"?>', "<manual>"],
    block: (name, n) => [
      `  <entry id="${low(name)}">`,
      `    <title>${name} &amp; friends</title>`,
      "    <text>Use a &lt;b&gt; where it helps &mdash; and not else.</text>",
      `    <note>${n} &lt; ${n + 4}</note>`,
      "  </entry>",
    ],
    tail: ["</manual>"],
  },
  {
    file: "view.jsx",
    head: ['import { Box, Text } from "./parts";', ""],
    block: (name, n) => [
      `export function ${name}View({ item, onOpen }) {`,
      "  return (",
      `    <Box id="${low(name)}" gap={${n % 4}}>`,
      "      <Text bold={item.open && item.count > 0}>{item.name}</Text>",
      `      <button onClick={() => onOpen("${low(name)}")}>`,
      "        <i>open</i>",
      "      </button>",
      "    </Box>",
      "  );",
      "}",
      "",
    ],
    tail: [],
  },
  {
    file: "guide.md",
    head: ["# Guide", ""],
    block: (name, n) => [
      `## ${name}`,
      "",
      `How to set up the ${low(name)}:`,
      "",
      "- open the settings",
      `  - choose *${low(name)}*`,
      "  - press save",
      "- start it again",
      `${n % 2 === 0 ? "*" : "-"} look at the log`,
      "",
    ],
    tail: ["That is all."],
  },
  {
    file: "rows.json",
    head: ["{", '  "rows": ['],
    block: (name, n) => [
      "    {",
      `      "name": "${low(name)}",`,
      '      "kind": "row",',
      `      "level": ${n % 3},`,
      '      "tags": [',
      '        "open",',
      '        "new"',
      "      ]",
      "    },",
    ],
    tail: ['    { "name": "end" }', "  ]", "}"],
  },
  {
    file: "services.yml",
    head: ["version: 3", "services:"],
    block: (name, n) => [
      `  ${low(name)}:`,
      `    image: ${low(name)}:latest`,
      "    restart: always",
      "    ports:",
      `      - ${8000 + n}:80`,
      "    healthcheck:",
      "      retries: 3",
      "      interval: 10s",
    ],
    tail: [],
  },
  {
    file: "Parts.cs",
    eol: "\r\n",
    head: ["namespace Parts", "{"],
    block: (name, n) => [
      `    public class ${name}`,
      "    {",
      `        private int level = ${n % 3};`,
      "",
      "        public void Close()",
      "        {",
      "            level = 0;",
      "            Log.Write(level);",
      "        }",
      "    }",
      "",
    ],
    tail: ["}"],
  },
  {
    file: "Shapes.java",
    head: ["package shapes;", ""],
    block: (name, n) => [
      "/**",
      ` * The shape of a ${low(name)}.`,
      " *",
      " * @since 1.0",
      " */",
      `class ${name} {`,
      "    int sides(int kind) {",
      "        switch (kind) {",
      "            case 1:",
      "                count(1);",
      "                break;",
      `            case ${2 + (n % 3)}:`,
      "                count(2);",
      "                break;",
      "        }",
      `        return ${n % 4};`,
      "    }",
      "}",
      "",
    ],
    tail: [],
  },
  {
    file: "letters.txt",
    head: [],
    block: (name, n) => [
      `Dear ${name},`,
      "",
      'you asked: "What\'s the state of it?" - it is well.',
      `We sent ${n + 2} parts - the rest follows.`,
      "",
      "Yours - the 'office'",
      "",
    ],
    tail: ["End."],
  },
];
