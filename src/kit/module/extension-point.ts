import type { Type } from '@nestjs/common';

/** An abstract class that a class of another module may extend, and that the service injects. */
export type ExtensionPoint<T = unknown> = abstract new (...args: never[]) => T;

/** An extension point as a module declares it. */
export interface DeclaredPoint {
  readonly point: ExtensionPoint;
  /** Used where nobody implements it; without one a group of the service does, and no plugin can. */
  readonly standard: Type | undefined;
}

/**
 * Declares an extension point, with the class that is used where no plugin implements it. Without one it is a port of
 * the service: what a floor needs of a group above it, or what a group offers to all.
 */
export function extensionPoint<T>(point: ExtensionPoint<T>, standard?: Type<T>): DeclaredPoint {
  return { point, standard };
}

/** All extension points of one application. */
export class Points {
  constructor(readonly declared: readonly DeclaredPoint[]) {}

  /** The names of those that plugins may implement. */
  get names(): readonly string[] {
    return this.declared.filter(({ standard }) => standard !== undefined).map(({ point }) => point.name);
  }

  /** The one that a class extends. */
  of(implementation: Type): ExtensionPoint | undefined {
    let ancestor: unknown = implementation;
    while (typeof ancestor === 'function') {
      const found = this.declared.find(({ point }) => point === ancestor);
      if (found !== undefined) return found.point;
      ancestor = Object.getPrototypeOf(ancestor) as unknown;
    }
    return undefined;
  }
}
