import { useEffect, useState } from 'preact/hooks';

/** A value that components follow. */
export class Store<T> {
  readonly #listeners = new Set<() => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set(value: T): void {
    if (Object.is(value, this.current)) return;
    this.current = value;
    for (const listener of this.#listeners) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The value of a store, and another rendering whenever it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, render] = useState({});
  useEffect(() => store.subscribe(() => render({})), [store]);
  return store.value;
}
