const LENGTH_MAX = 40;

/** Enough of a message to know it by. */
export function beginningOf(text: string | null): string {
  return (text ?? '').slice(0, LENGTH_MAX);
}
