/** @holdfast/page: a stored session as one page that needs nothing beside it. */
export { htmlPage } from "./html-page.js";
