import { IgnoreList } from "../../packages/core/src/files/ignore/ignore-list.js";
import { ensure, partsOf, type Target } from "../target.js";

/**
 * An ignore file and paths, parted by `%%`. Held against: the steps are at most the product of the lengths, and the
 * indexed list says what each line alone would, the last one deciding. What a line means is held against git in
 * `ignore-list.test.ts`.
 */
export const ignore: Target = {
  name: "ignore",
  words: [
    ...[
      "**",
      "**/",
      "/**",
      "*",
      "?",
      "[a-z]",
      "[!a]",
      "[^a]",
      "[[:alpha:]]",
      "[]]",
      "\\",
      "\\ ",
      "!",
      "#",
      "/",
      " \n",
      "a/b",
    ],
    ...[
      "**/a",
      "a/**",
      "*.js",
      "[",
      "]",
      "-",
      "\\[",
      "[a-\\]",
      "node_modules/",
      "\r\n",
      "\n%%\n",
      "é",
      "A",
      "../",
      "./",
    ],
  ],
  run(input) {
    const [rules, paths] = partsOf(input);
    const lines = rules.split("\n");
    for (const folds of [false, true]) {
      const list = new IgnoreList(rules, folds);
      const alone = lines.map((line) => new IgnoreList(line, folds));
      for (const path of paths.split("\n").slice(0, 8)) {
        if (path === "") continue;
        for (const isDirectory of [false, true]) {
          const tally = { steps: 0 };
          const verdict = list.verdict(path, isDirectory, tally);
          const bytes = Buffer.byteLength(path) + 1;
          ensure(
            tally.steps <= (Buffer.byteLength(rules) + lines.length + 1) * bytes * 4,
            "the steps are bounded",
            tally,
          );
          const wanted = alone
            .map((one) => one.verdict(path, isDirectory))
            .findLast((one) => one !== undefined);
          ensure(verdict === wanted, "a list says what its lines say", {
            path,
            isDirectory,
            folds,
            verdict,
            wanted,
          });
        }
      }
    }
  },
};
