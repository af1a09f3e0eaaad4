/**
 * The session's counter of file states (seed 1, section 5.1). It only orders states for the model, "the
 * highest is the newest"; no check relies on it.
 */
export class SessionStateService {
  private versionCounter: number;

  /** @param resumedAt the last version of the session that goes on; 0 for a new one. */
  constructor(resumedAt = 0) {
    this.versionCounter = resumedAt;
  }

  /** Goes on from this version, where it has not come so far. */
  countOn(version: number): void {
    this.versionCounter = Math.max(this.versionCounter, version);
  }

  /** One step for each read or write of a file; the first value of a new session is 1. */
  getNextVersion(): number {
    this.versionCounter += 1;
    return this.versionCounter;
  }
}
