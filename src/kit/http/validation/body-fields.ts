import type { Type } from '@nestjs/common';

/** A body or query without the fields that plugins have declared, and these by themselves. */
export interface TakenFields {
  readonly rest: Readonly<Record<string, unknown>>;
  /** Undefined where none was given. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** Knows the fields that plugins have declared. */
export abstract class BodyFields {
  /**
   * Takes them off what is to become a DTO; `undefined` where that has none. Throws `validation_failed` (400) for a value
   * of another type.
   */
  abstract take(type: Type, source: Readonly<Record<string, unknown>>): TakenFields | undefined;
}
