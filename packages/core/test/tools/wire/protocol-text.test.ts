import { describe, expect, it } from "vitest";
import { protocolText, tools } from "../../../src/tools/index.js";

describe("the protocol in brief", () => {
  it("says how each of the usual tools is used", () => {
    expect(protocolText(new Set(tools.map(({ name }) => name)))).toMatchSnapshot();
  });

  it("names only what is offered", () => {
    expect(protocolText(new Set(["read_file", "safe_patch", "append_to_file"]))).toMatchSnapshot();
    expect(protocolText(new Set(["read_file"]))).not.toMatch(
      /edit_file|safe_patch|write_file|append|section/,
    );
  });
});
