/** What must always hold does not: a fault of the engine, whatever the command was. */
export class InvariantError extends Error {}
