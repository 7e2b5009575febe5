/**
 * What is in memory nearly always, and otherwise comes from the database. A promise of it would cost each order some
 * memory and a turn of the microtask queue, in each function on the way.
 */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with the value, at once where it is there. */
export function onceKnown<T, R>(value: Awaitable<T>, act: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(act) : act(value);
}

/** As `Array.some`: asks about one after the other, and no further than the first for which it holds. */
export function someOf<T>(
  things: readonly T[],
  holds: (thing: T) => Awaitable<boolean>,
  first = 0,
): Awaitable<boolean> {
  for (let place = first; place < things.length; place++) {
    const held = holds(things[place]!);
    if (held instanceof Promise) return held.then((isHeld) => isHeld || someOf(things, holds, place + 1));
    if (held) return true;
  }
  return false;
}
