import type { ContextManager } from "@holdfast/core/conversation";
import type { Workspace } from "@holdfast/core/files";
import { isRefusal } from "@holdfast/core/files/values";

/** What a new memory file holds (seed 3, "Update workspace.md template"). */
const memoryTemplate = `# Workspace

Notes on this project that outlast a conversation.
Update it with edit_file() or append_to_file() to persist important information.

## Current State

## Decisions

## Discoveries

## Next Steps
`;

/** What a memory file works on. */
interface MemoryFileParts {
  readonly manager: ContextManager;
  readonly workspace: Workspace;
  /** As tools name it. */
  readonly path: string;
}

/**
 * The file in which a model keeps what has to outlast a conversation (seed 3). Pinned it is a tracked file: its newest
 * state stands before the model, is never cleared, and comes again after a compaction.
 */
export class MemoryFile {
  #isOff = false;

  constructor(private readonly parts: MemoryFileParts) {}

  get path(): string {
    return this.parts.path;
  }

  get isPinned(): boolean {
    return this.parts.manager.trackedFiles().includes(this.path);
  }

  /** Undefined where it is not there, or is no text. */
  async text(): Promise<string | undefined> {
    const { workspace, path } = this.parts;
    const found = await workspace.read({ path }, { isSilent: true });
    return found.kind === "read" ? found.state.content : undefined;
  }

  /** Pins it where it is there. The person's "off" holds for the session. */
  async pinIfThere(): Promise<void> {
    if (this.#isOff || this.isPinned || (await this.text()) === undefined) return;
    this.parts.manager.trackFile(this.path);
  }

  /** Pins it, and makes it from the template where it is not there. @returns why not, as a sentence. */
  async pin(): Promise<string | undefined> {
    const { workspace, manager, path } = this.parts;
    this.#isOff = false;
    if ((await this.text()) === undefined) {
      const made = await workspace.write({ path, content: memoryTemplate });
      if (made.kind === "refusal") return made.message;
    }
    if (this.isPinned) return undefined;
    const node = manager.trackFile(path);
    return isRefusal(node) ? node.message : undefined;
  }

  /** Takes it out of what is shown; the file stays. */
  unpin(): void {
    this.#isOff = true;
    if (this.isPinned) this.parts.manager.untrackFile(this.path);
  }
}
