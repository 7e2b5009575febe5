const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'prototype',
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/**
 * Whether a member or field of that name is refused everywhere: the name of a property of every object, which lookups
 * would find on any object, or `prototype`. class-transformer drops both silently.
 */
export function isReservedName(name: string): boolean {
  return RESERVED_NAMES.has(name);
}
