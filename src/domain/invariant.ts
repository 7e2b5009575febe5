/** A violated invariant: a fault of the service, whatever the command was, and never a refusal. */
export class InvariantError extends Error {}

/** An id or a count that helps to find the fault. No texts of people, and nothing secret. */
type Figure = string | number | bigint | null | undefined;

/**
 * Throws where something does not hold that would be money if it did not. The rule is literal text that says what must
 * hold, and the figures follow it in the message, which is put together only where the rule is broken.
 */
export function invariant(holds: boolean, rule: string, a?: Figure, b?: Figure, c?: Figure): asserts holds {
  if (!holds) throw violation(rule, [a, b, c]);
}

function violation(rule: string, figures: readonly Figure[]): InvariantError {
  const known = figures.filter((figure) => figure !== undefined);
  return new InvariantError(known.length === 0 ? rule : `${rule} (${known.join(', ')})`);
}

/** Names the command in which something failed; its content stays out of the log. */
export function failureIn(error: unknown, type: string, sequence: number): InvariantError {
  const reason = error instanceof Error ? error.message : String(error);
  return new InvariantError(`${type} at sequence ${sequence}: ${reason}`, { cause: error });
}
