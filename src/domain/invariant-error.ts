/** A violated invariant: a fault of the engine, whatever the command was. */
export class InvariantError extends Error {}
