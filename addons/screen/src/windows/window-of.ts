import type { CommandHost } from "@holdfast/agent";
import { backgroundWords, span } from "@holdfast/agent/shown";
import type { Modal } from "../screen/modal.js";
import { pager } from "../screen/pager.js";
import { wholeText } from "../screen/update.js";
import { changesModal } from "./changes-modal.js";
import { contextPicture } from "./context-picture.js";
import { tour } from "./tour.js";
import { lastPrompt, treeModal } from "./tree-modal.js";
import { treeSource } from "./tree-source.js";

/** The window that a command opens on a screen; undefined of one whose answer is written. @param columns of the window. */
export function windowOf(line: string, host: CommandHost, columns: number): Modal | undefined {
  switch (line.trim()) {
    case "/history view":
      return treeModal(treeSource(host));
    case "/changes":
      return changesModal(host);
    case "/background": {
      const all = host.background?.() ?? [];
      if (all.length === 0) return undefined;
      return pager(all.map((one) => wholeText([span(backgroundWords(one))], one.log.text())));
    }
    case "/context": {
      const { contextMap } = host.agent;
      return pager([
        { title: [span("Context")], lines: contextPicture(contextMap, host.agent.clearingNow(), columns) },
      ]);
    }
    case "/tour":
      return pager([tour]);
    default:
      return undefined;
  }
}

/** The tree at the last prompt, where it can be edited and sent again. */
export function treeAtPrompt(host: CommandHost): Modal {
  return treeModal(treeSource(host), lastPrompt(host.manager.context));
}
