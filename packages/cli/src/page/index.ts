/** What the page is given. Its own script begins in main.ts and runs in a browser. */
export { dataId, type PageData } from "./page-data.js";
