import type { Type } from '@nestjs/common';

/** An abstract class that a class of another module may extend, and that the service injects. */
export type ExtensionPoint<T = unknown> = abstract new (...args: never[]) => T;

/** The lists of a declaration whose classes extend one point each, any number of them. */
export const POINT_LISTS = ['checks', 'feePolicies', 'identity'] as const;

export type PointList = (typeof POINT_LISTS)[number];

/** An extension point as a module declares it. */
export interface DeclaredPoint {
  readonly point: ExtensionPoint;
  /** Used where nobody implements it. */
  readonly standard: Type | undefined;
  /** Whether only groups of the service implement it. */
  readonly isPort: boolean;
  /** Where any number of classes may extend it, the list that they stand in. */
  readonly list?: PointList;
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

/**
 * Declares an extension point that any number of classes extend. Under its class all of them are injected, as a list in
 * the order of the plugins; it is empty where there are none.
 */
export function severalOf<T>(point: ExtensionPoint<T>, list: PointList): DeclaredPoint {
  return { point, standard: undefined, isPort: false, list };
}

/** All extension points of one application. */
export class Points {
  constructor(readonly declared: readonly DeclaredPoint[]) {}

  /** The names of those that plugins may implement. */
  get names(): readonly string[] {
    return this.declared.filter(isSingle).map(({ point }) => point.name);
  }

  /** The one whose classes stand in a list; absent where the group that declares it is not started. */
  in(list: PointList): DeclaredPoint | undefined {
    return this.declared.find((declared) => declared.list === list);
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

function isSingle({ isPort, list }: DeclaredPoint): boolean {
  return !isPort && list === undefined;
}
