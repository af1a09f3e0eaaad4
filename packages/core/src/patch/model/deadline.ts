/**
 * A time limit that loops ask now and then. Once passed it stays passed, so a stage may stop early with a
 * partial answer: whoever called it asks again and drops that answer.
 */
export class Deadline {
  private passed = false;
  private steps = 0;
  private end: number;

  constructor(limitMs: number) {
    this.end = Date.now() + limitMs;
  }

  /** Leaves out a time in which others ran. */
  extend(byMs: number): void {
    this.end += byMs;
  }

  /** For loops over many small steps: looks at the clock once in 256 of them. */
  passes(): boolean {
    this.steps += 1;
    return this.steps % 256 === 0 ? this.late() : this.passed;
  }

  late(): boolean {
    if (!this.passed && Date.now() > this.end) this.passed = true;
    return this.passed;
  }
}
