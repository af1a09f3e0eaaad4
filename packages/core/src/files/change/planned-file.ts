import { defined } from "../../text/index.js";
import { decodeFile } from "../access/file-text.js";
import { digestOf, linkText } from "../access/kept-states.js";
import type { Site } from "../access/landing.js";
import { leadsTo, pathNames } from "../access/path-names.js";
import type { AgreedFile, PreviewedFile } from "../access/preview.js";
import type { Refusal } from "../values/refusal.js";
import { largeSize } from "../values/time-budget.js";
import type { WriteDecision } from "./decide.js";
import { decodedText } from "./plans.js";

/** Hashes large planned bytes, and decodes what a preview shows, with pauses between: all of it is known then. */
export async function learnPlan(
  { call, change }: Site,
  { plan, current }: WriteDecision,
): Promise<Refusal<"timeout"> | undefined> {
  const { ports } = call.session;
  const { encoding } = change.options;
  const known = [plan.bytes, call.isPreview && current.kind === "file" ? current.bytes : null];
  for (const bytes of known) {
    if (bytes === null || bytes.length <= largeSize) continue;
    const late = await call.budget.pause();
    if (late !== undefined) return late;
    digestOf(ports, bytes);
    const isShown = call.isPreview && (bytes !== plan.bytes || plan.text === undefined);
    if (isShown) decodeFile(bytes, ports.codec, encoding);
  }
  return undefined;
}

/** The preview of a decision, for its file. */
export function previewedFile(site: Site, decision: WriteDecision): PreviewedFile {
  const { plan, current } = decision;
  const { session } = site.call;
  const { encoding } = site.change.options;
  const before = current.kind === "file" ? decodedText(session, current.bytes, encoding) : null;
  const after = plan.bytes === null ? null : (plan.text ?? decodedText(session, plan.bytes, encoding));
  const isUnshown = plan.isUnshown === true ? { isUnshown: true as const } : {};
  const agreed = agreedFile(site, decision);
  const { path } = site.change;
  const names = pathNames(session.ports.disk, path, agreed.realPath);
  const link = current.kind === "file" && current.isLink === true ? current.bytes : undefined;
  const shown = link ?? (plan.isLink === true ? plan.bytes : null);
  const leads =
    shown === null ? leadsTo(session.ports.disk, { path, realPath: agreed.realPath }) : linkText(shown);
  return {
    path,
    ...defined({ leadsTo: leads }),
    names,
    before,
    after,
    sizes: {
      before: current.kind === "file" ? current.bytes.length : null,
      after: plan.bytes?.length ?? null,
    },
    change: plan.report,
    ...isUnshown,
    agreed,
  };
}

/** The facts that a person agrees to when this decision is shown. */
export function agreedFile({ call, change, target }: Site, { plan, current }: WriteDecision): AgreedFile {
  return {
    realPath: target.realPath,
    before: current.kind === "file" ? current.sha256 : null,
    after: plan.bytes === null ? null : digestOf(call.session.ports, plan.bytes),
    inPlace: change.options.inPlace === true,
  };
}
