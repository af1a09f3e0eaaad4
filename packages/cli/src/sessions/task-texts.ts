import type { ListedTask } from "@holdfast/core/conversation";

/**
 * A value as JSON with a tree of tasks as its member `tasks`, which `JSON.stringify` cannot write where it is
 * thousands of levels deep.
 *
 * @param value an object without that member. @param root the tree, whose own facts are written, too.
 * @param membersOf what is written of one task beside those inside it.
 */
export function jsonWithTasks(
  value: object,
  root: ListedTask,
  membersOf: (task: ListedTask) => object,
): string {
  return `${opened(value)},"tasks":${taskJson(root, membersOf)}}`;
}

function taskJson(root: ListedTask, membersOf: (task: ListedTask) => object): string {
  const pieces: string[] = [];
  const open: { readonly tasks: readonly ListedTask[]; at: number }[] = [{ tasks: [root], at: 0 }];
  for (let list = open.at(-1); list !== undefined; list = open.at(-1)) {
    const task = list.tasks[list.at];
    if (task === undefined) {
      open.pop();
      if (open.length > 0) pieces.push("]}");
      continue;
    }
    if (list.at > 0) pieces.push(",");
    list.at += 1;
    pieces.push(opened(membersOf(task)), ',"tasks":[');
    open.push({ tasks: task.tasks, at: 0 });
  }
  return pieces.join("");
}

/** An object as JSON but for its last brace, so that more can be added. */
function opened(value: object): string {
  return JSON.stringify(value).slice(0, -1);
}
