import { endless, planted } from "../planted.js";
import { ensure, type Target } from "../target.js";
import { diff } from "./diff.js";
import { envelope } from "./envelope.js";
import { glob } from "./glob.js";
import { hook } from "./hook.js";
import { ignore } from "./ignore.js";
import { imports } from "./import.js";
import { journal } from "./journal.js";
import { mcp } from "./mcp.js";
import { page } from "./page.js";
import { path } from "./path.js";
import { sections } from "./sections.js";
import { settings } from "./settings.js";
import { state } from "./state.js";

const plantedTarget: Target = {
  name: "planted",
  words: [],
  maxSteps: 100_000,
  run: (input) => {
    ensure(planted(input) < 4, "the planted fault is found");
    if (input.startsWith("endless")) endless(input);
  },
};

const targets: readonly Target[] = [
  ...[diff, sections, envelope, journal, imports, ignore, glob, path, settings, hook, page, state, mcp],
  plantedTarget,
];

/** The target of this name. */
export function findTarget(name: string): Target | undefined {
  return targets.find((target) => target.name === name);
}
