import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hangMs } from "../../../test/until.js";
import { readableHtml } from "../src/fetch-tool.js";

describe("the words of a page", () => {
  test.each([
    ["headings and paragraphs", "<h1>One</h1><p>two\n  three</p><p>four</p>", "# One\n\ntwo three\n\nfour"],
    ["lists", "<ul><li>a<li>b</ul>", "- a\n- b"],
    ["links", '<a class="x" href="https://e.org/?a=1&amp;b">go</a> on', "go (https://e.org/?a=1&b) on"],
    ["scripts", "a<script>if (1 < 2) '</b>'</script>b<STYLE>x</STYLE>c", "abc"],
    ["comments", "a<!-- <b> -->b", "ab"],
    ["entities", "&lt;b&gt; &amp;amp; &#65;&#x42; &unknown; &#0;", "<b> &amp; AB &unknown; &#0;"],
    ["preformatted text", "<pre>a\n  b   c</pre>", "a\n  b   c"],
    ["a lone bracket", "1 < 2 and <", "1 < 2 and <"],
    ["an open script", "a<script>b", "a"],
    ["a title", "<html><head><title>T</title></head><body>b</body></html>", "T\n\nb"],
  ])("%s", (_, html, words) => {
    expect(readableHtml(html)).toBe(words);
  });

  test("whatever comes, no tag is left that was closed, and nothing throws", () => {
    const part = fc.constantFrom(
      "<a href=x>",
      "</a>",
      "<script>",
      "</script>",
      "<!--",
      "-->",
      "<",
      ">",
      "x y",
      "<p",
      "&lt;",
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        expect(typeof readableHtml(parts.join(""))).toBe("string");
      }),
    );
  });

  test.each([["<a"], ["<!-"], ["<script"], ["<pre> "], ["</script"], ["<a href="], ["&#1"]])(
    "half a megabyte of %j takes no time to speak of",
    (piece) => {
      const html = piece.repeat((1 << 19) / piece.length);
      const begunMs = performance.now();
      readableHtml(html);
      // A quadratic reader takes many minutes; the bound is for a busy machine.
      expect(performance.now() - begunMs).toBeLessThan(hangMs);
    },
  );
});
