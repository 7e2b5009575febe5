/**
 * The keys that commits have made and that the tables do not hold yet. A look-up in the tables alone would
 * find nothing for them, so a repeat that comes at once would be carried out another time.
 */
import type { KeyRow } from '../tables/core-tables.js';

export class RecentKeys {
  private readonly known = new Map<string, { readonly row: KeyRow; readonly sequence: number }>();

  /** Keys of the batch that ends at the sequence. */
  add(rows: readonly KeyRow[], sequence: number): void {
    for (const row of rows) {
      const key = `${row.owner}\n${row.key}`;
      // A key that is made anew moves to the end: the oldest come first.
      this.known.delete(key);
      this.known.set(key, { row, sequence });
    }
  }

  find(owner: string, key: string): KeyRow | undefined {
    return this.known.get(`${owner}\n${key}`)?.row;
  }

  /** The tables hold them by now. */
  forgetUpTo(sequence: number): void {
    for (const [key, made] of this.known) {
      if (made.sequence > sequence) return;
      this.known.delete(key);
    }
  }
}
