/** @holdfast/page: a stored session as one page that needs nothing beside it, and served live. */
export { htmlPage } from "./html-page.js";
export { openInBrowser } from "./live/open-in-browser.js";
export { type LiveServer, type ServeOptions, serveSession } from "./live/serve-session.js";
