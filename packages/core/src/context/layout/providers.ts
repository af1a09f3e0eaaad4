/** The providers whose rules are known here. Others are rendered to, and checked by none. */
export type Provider = "google" | "anthropic" | "openai";

/** What rendering has to know of a provider. */
interface ProviderFacts {
  /** Whether a thought is void once any byte before it has changed. */
  readonly bindsThinking: boolean;
}

const facts: Readonly<Record<Provider, ProviderFacts>> = {
  google: { bindsThinking: false },
  anthropic: { bindsThinking: true },
  openai: { bindsThinking: false },
};

/** The providers whose form a prompt can take. */
export const providers: readonly Provider[] = ["google", "anthropic", "openai"];

/** Whether this is the name of a provider that rendering knows. */
export function isProvider(name: string): name is Provider {
  return Object.hasOwn(facts, name);
}

/** What is known of a provider; undefined for others. */
export function providerFacts(name: string): ProviderFacts | undefined {
  return isProvider(name) ? facts[name] : undefined;
}
