/** What a run is, before anything of it happens. */
export interface RunFacts {
  readonly sessionId: string;
  /** `provider/name`. */
  readonly model: string;
  /** The user's words. */
  readonly prompt: string;
}
