import { createInterface } from "node:readline/promises";

/** Whether a person says yes; not where there is no terminal to ask in. */
export async function consents(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await askPerson(question));
}

/** A line of the person's; empty where there is no terminal to ask in. */
export async function askPerson(question: string): Promise<string> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return "";
  const asked = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asked.question(question);
  asked.close();
  return answer.trim();
}
