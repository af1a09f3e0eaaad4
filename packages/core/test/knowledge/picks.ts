/** Numbers that were drawn, one after the other. */
export class Picks {
  private at = 0;

  constructor(private readonly numbers: readonly number[]) {}

  next(below: number): number {
    const number = this.numbers[this.at % this.numbers.length] ?? 0;
    this.at += 1;
    return (number + this.at * 31) % below;
  }

  of<const Items extends readonly [unknown, ...unknown[]]>(items: Items): Items[number] {
    return items[this.next(items.length)] ?? items[0];
  }
}

/** With their ends. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
