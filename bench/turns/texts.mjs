/** The files of the tasks: plain code of a size that agents meet every day. */

/** A module of 198 lines, 8 KB. @param {string} wire the name of its lines */
export function moduleOf(wire) {
  const functions = Array.from({ length: 22 }, (_, n) =>
    [
      `/** Sends the request ${n} and waits for its answer. */`,
      `export async function send${n}(request: Request): Promise<Answer> {`,
      `  const deadline${n} = Date.now() + ${n + 1}00;`,
      `  const connection = await pool.take("${wire}-${n}");`,
      `  const answer = await connection.ask(request, { deadline: deadline${n}, retries: ${n % 5} });`,
      "  connection.release();",
      "  return answer;",
      "}",
      "",
    ].join("\n"),
  );
  return `${functions.join("\n")}`;
}

/** A table of 2,250 lines, 90 KB. */
export const large = Array.from(
  { length: 2_250 },
  (_, n) => `export const setting${n} = { wait: ${n * 3} };\n`,
).join("");

/** A module with lines that use `waitMs`. */
const user = (/** @type {string} */ name, /** @type {string} */ body) =>
  `import { waitMs } from "./settings.js";\n\nexport function ${name}(): number {\n${body}}\n`;

/** Three files that use one name, among others that do not. */
export const renamed = {
  "src/settings.ts": "/** Milliseconds. */\nexport const waitMs = 2_000;\nexport const tries = 3;\n",
  "src/client.ts": user("clientWait", "  const longest = waitMs * 3;\n  return longest + waitMs;\n"),
  "src/server.ts": user("serverWait", "  return waitMs / 2;\n"),
  "src/log.ts": "export const level = 2;\n",
  "src/main.ts": 'import { level } from "./log.js";\n\nconsole.log(level);\n',
};
