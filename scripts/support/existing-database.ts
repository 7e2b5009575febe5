const UNDEFINED_TABLE = '42P01';

/** Why something of a database could not be verified; `what` it is, such as `journal`. */
export function reasonOf(error: unknown, what: string): string {
  const { code, message } = error as { code?: unknown; message: string };
  return code === UNDEFINED_TABLE
    ? `this database has no ${what} yet; start the service on it once`
    : message;
}
