import { gunzipSync } from "node:zlib";
import { packed } from "../../addons/page/src/html-page.js";
import { ensure, isRecord, jsonOf, type Target } from "../target.js";

/**
 * What a session may hold, as the data in the HTML page. Held against: it comes back as it was, and nothing in it ends the
 * element that it stands in, begins another one or acts on a terminal.
 */
export const page: Target = {
  name: "page",
  words: [
    "</script>",
    "<!--",
    "-->",
    "<script>",
    "&lt;",
    "]]>",
    "\u2028",
    "\u2029",
    "\ud800",
    "\\u003c",
    "</SCRIPT",
    "\u0085",
  ],
  run(input) {
    const given = jsonOf(input);
    for (const value of [{ text: input, [input]: [input] }, ...(isRecord(given) ? [given] : [])]) {
      const text = packed(value);
      ensure(/^[A-Za-z0-9+/=]*$/.test(text), "it is inert", text);
      const back = gunzipSync(Buffer.from(text, "base64")).toString();
      ensure(back === JSON.stringify(value), "it comes back", text);
    }
  },
};
