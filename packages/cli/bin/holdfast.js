#!/usr/bin/env node
// Committed, so that npm can link it before anything is built; the program itself is a built file.
import { existsSync } from "node:fs";

const program = new URL("../dist/bundle/main.js", import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write("holdfast: not built yet. Run `npm ci` (or `npm run build`) in its repository.\n");
  process.exitCode = 1;
}
