/** Of clients that have logged on. */
export const SESSIONS_MAX = 1_000;
/** The part of them that one person may have, from whatever networks, over all users and keys that the person made. */
export const SESSIONS_PER_OWNER_MAX = SESSIONS_MAX / 4;

export interface Seat {
  readonly network: string;
  /** Unknown until somebody has logged on. */
  readonly owner?: string | undefined;
}

/** Whether one more may log on beside those that have. */
export function hasRoom(taken: readonly Seat[], { network, owner }: Seat, perNetworkMax: number): boolean {
  const fromThere = taken.filter((seat) => seat.network === network);
  const ofOwner = owner === undefined ? [] : taken.filter((seat) => seat.owner === owner);
  return (
    taken.length < SESSIONS_MAX && fromThere.length < perNetworkMax && ofOwner.length < SESSIONS_PER_OWNER_MAX
  );
}
