/** The words of seed 2, to the letter. */
export const unchangedStub =
  "File unchanged since last read. The content from the earlier read_file result in this conversation is " +
  "still current — refer to that instead of re-reading.";
