/** @holdfast/screen: an agent in a terminal: what a person types, and what is shown below it. */

export { openTalk } from "./terminal/talk.js";
