/** What a server gave to its clients and wants back unchanged; ids that it made. */
export class Ledger {
  #count = 0;
  readonly #kept = new Map<string, string>();
  #signatures: string[] = [];
  /** Signatures of answers that arrived whole. */
  readonly wanted = new Set<string>();

  /** A fresh id or signature; letters of base64 that a careless escape would change. */
  next(prefix: string): string {
    this.#count += 1;
    return `${prefix}${this.#count}`;
  }

  signature(): string {
    const signature = this.next("EqQBCkYIBxgCKkAb+/9=zW");
    this.#signatures.push(signature);
    return signature;
  }

  /** Ends an answer; what it carried is wanted back where it arrived. */
  endAnswer(arrived: boolean): void {
    for (const signature of this.#signatures.splice(0)) if (arrived) this.wanted.add(signature);
  }

  /** Keeps what was given under this name, byte for byte. */
  keep(name: string, value: unknown): void {
    this.#kept.set(name, JSON.stringify(value));
  }

  /** The bytes that were given under this name. */
  given(name: string): string | undefined {
    return this.#kept.get(name);
  }
}
