/** What all checks share: they answer what is wrong, and never throw for what JSON may contain. */

/** What it says is wrong, or what was proven. */
export type Verified<Proven> =
  | ({ readonly ok: true } & Proven)
  | { readonly ok: false; readonly reason: string };

/** What a check says of JSON that may have any form. */
export function orFault(check: () => string | null): string | null {
  try {
    return check();
  } catch (error) {
    return messageOf(error);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function failed(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
