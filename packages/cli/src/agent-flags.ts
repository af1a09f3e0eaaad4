/** The options of the agent that no other command has: `holdfast -p …` is its call, too. */
export const agentFlags: ReadonlySet<string> = new Set([
  ...["-p", "--prompt", "-i", "--prompt-interactive", "-c", "--continue", "-r", "--resume"],
]);
