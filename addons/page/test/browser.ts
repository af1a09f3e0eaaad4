import { type BrowserContextOptions, chromium } from "playwright-core";
import { pathOf } from "../../../test/tools.js";
import { hangMs } from "../../../test/until.js";

export type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** Chromium. A wait of its own would be a judgement of the machine: here each is a bound for what hangs. */
export async function openBrowser() {
  const executablePath = pathOf("chromium");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"], timeout: hangMs });
  return {
    newPage: async (options: BrowserContextOptions = {}) => {
      const page = await browser.newPage(options);
      page.setDefaultTimeout(hangMs);
      return page;
    },
    close: () => browser.close(),
  };
}
