import type { Type } from '@nestjs/common';

/** An abstract class that a class of another module may extend, and that the service injects. */
export type ExtensionPoint<T = unknown> = abstract new (...args: never[]) => T;

/** An extension point as a module declares it. */
export interface DeclaredPoint {
  readonly point: ExtensionPoint;
  /** Used where nobody implements it. */
  readonly standard: Type | undefined;
  /** Whether only groups of the service implement it. */
  readonly isPort: boolean;
}

/** Declares an extension point, with the class that is used where no plugin implements it. */
export function extensionPoint<T>(point: ExtensionPoint<T>, standard: Type<T>): DeclaredPoint {
  return { point, standard, isPort: false };
}

/**
 * Declares what a floor needs of a group above it, or what a group offers to all: one group of the service implements it.
 * `standard` is for a service without that group.
 */
export function port<T>(point: ExtensionPoint<T>, standard?: Type<T>): DeclaredPoint {
  return { point, standard, isPort: true };
}

/** All extension points of one application. */
export class Points {
  constructor(readonly declared: readonly DeclaredPoint[]) {}

  /** The names of those that plugins may implement. */
  get names(): readonly string[] {
    return this.declared.filter(({ isPort }) => !isPort).map(({ point }) => point.name);
  }

  /** The one that a class extends. */
  of(implementation: Type): DeclaredPoint | undefined {
    let ancestor: unknown = implementation;
    while (typeof ancestor === 'function') {
      const found = this.declared.find(({ point }) => point === ancestor);
      if (found !== undefined) return found;
      ancestor = Object.getPrototypeOf(ancestor) as unknown;
    }
    return undefined;
  }
}
