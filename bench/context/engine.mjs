import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The conversation as built, room by room: `npm run build` first. HOLDFAST_CORE may name another build's
 * folder.
 *
 * @typedef {import("../../packages/core/dist/conversation/index.js").ContextManager} ContextManager
 * @typedef {import("../../packages/core/dist/conversation/values/index.js").ConversationContext} ConversationContext
 * @typedef {import("../../packages/core/dist/conversation/values/index.js").SessionStore} SessionStore
 * @typedef {import("../../packages/core/dist/conversation/index.js").StoredConversation} StoredConversation
 */
const folder =
  process.env.HOLDFAST_CORE ?? fileURLToPath(new URL("../../packages/core/dist", import.meta.url));
if (!existsSync(`${folder}/index.js`))
  throw new Error("packages/core is not built: run npm run build first.");

/** What a sub-room of a room exports; nothing in a build from before it had a door. @param {string} room */
const doorOf = async (room) => {
  const file = `${folder}/${room}/index.js`;
  return existsSync(file) ? import(file) : {};
};

/**
 * @type {typeof import("../../packages/core/dist/conversation/index.js")
 *   & typeof import("../../packages/core/dist/conversation/values/index.js")
 *   & typeof import("../../packages/core/dist/conversation/journal/index.js")}
 */
export const conversation = {
  ...(await doorOf("conversation")),
  ...(await doorOf("conversation/values")),
  ...(await doorOf("conversation/journal")),
};

/**
 * @type {typeof import("../../packages/core/dist/files/index.js")
 *   & typeof import("../../packages/core/dist/files/values/index.js")}
 */
const files = { ...(await doorOf("files")), ...(await doorOf("files/values")) };

/** @type {typeof import("../../packages/core/dist/context/index.js")} */
export const rendering = await import(`${folder}/context/index.js`);

/** What a prompt may cost, and what is done about it. @type {typeof import("../../packages/core/dist/economy/index.js")} */
export const economy = await import(`${folder}/economy/index.js`);

/** How texts are searched for. */
export const patterns = files;

/** @type {() => Promise<typeof import("../../packages/core/dist/node/index.js")>} */
export const openNode = () => import(`${folder}/node/index.js`);

/** @type {() => Promise<typeof import("../../addons/postgres/dist/index.js")>} */
export const openPostgres = () =>
  import(fileURLToPath(new URL("../../addons/postgres/dist/index.js", import.meta.url)));

/**
 * What was asked for; nothing here is ever refused.
 *
 * @template {object} Answer
 * @param {Answer | import("../../packages/core/dist/conversation/values/index.js").ConversationRefusal} answer
 * @returns {Answer}
 */
export function must(answer) {
  if (files.isRefusal(answer)) throw new Error(answer.message);
  return answer;
}
