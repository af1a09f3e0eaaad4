import { isSecret, protectedReason, tidyPath } from "@holdfast/core/files";
import { escapeForDisplay } from "@holdfast/core/text";
import { ensure, type Target } from "../target.js";

/**
 * A path as a model writes it. Held against: what is tidied is tidy, stays below its root and holds nothing that acts on
 * a terminal; protection and secrecy do not depend on letter case; what is shown shows no control character.
 */
export const path: Target = {
  name: "path",
  words: [
    ...[
      "../",
      "./",
      "//",
      "/",
      "..",
      ".git",
      ".GIT",
      "git~1",
      ".ssh",
      ".env",
      "C:",
      "\\",
      ":$DATA",
      "::",
      "CON",
      "nul",
    ],
    ...[
      "~",
      "%2e%2e",
      "file://",
      "\u200d",
      "\u202e",
      "\ufe0f",
      "ß",
      "İ",
      "ſ",
      "K",
      " .",
      ". ",
      ".holdfastignore",
      "HEAD",
    ],
    ...[
      "hooks/",
      ".github/workflows/",
      ".claude/",
      "id_rsa",
      ".pem",
      "\u0000",
      "\n",
      "\ud800",
      "a".repeat(256),
    ],
  ],
  run(input) {
    const tidy = tidyPath(input);
    const shown = escapeForDisplay(input);
    ensure(
      !/[\p{Cc}\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u.test(shown),
      "nothing shown acts on a terminal",
      shown,
    );
    if (tidy.kind === "refusal") return;
    const parts = tidy.path.replace(/^\//, "").split("/");
    ensure(
      tidy.path === "" || tidy.path === "/" || parts.every((part) => !["", ".", ".."].includes(part)),
      "it is tidy",
      tidy,
    );
    const again = tidyPath(tidy.path === "" ? "." : tidy.path);
    ensure(again.kind === "path" && again.path === tidy.path, "a tidy path stays as it is", { tidy, again });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is what is asked
    ensure(!/[\u0000-\u001f\\]/.test(tidy.path), "no control character passes", tidy);
    const upper = tidy.path.replace(/[a-z]/g, (letter) => letter.toUpperCase());
    const isProtected = protectedReason(tidy.path) !== undefined;
    ensure(isProtected === (protectedReason(upper) !== undefined), "protection folds case", {
      path: tidy.path,
      upper,
    });
    ensure(isSecret(tidy.path) === isSecret(upper), "secrecy folds case", { path: tidy.path, upper });
  },
};
