/**
 * A time limit that loops ask now and then. Once passed it stays passed, so a stage may stop early with a
 * partial answer: whoever called it asks again and drops that answer.
 */
export class Deadline {
  private passed = false;
  private readonly end: number;

  constructor(limitMs: number) {
    this.end = Date.now() + limitMs;
  }

  late(): boolean {
    if (!this.passed && Date.now() > this.end) this.passed = true;
    return this.passed;
  }
}
