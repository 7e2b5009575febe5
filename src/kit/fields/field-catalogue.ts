import type { Type } from '@nestjs/common';
import type { FieldChanges, FieldValue } from '../../domain/fields.js';
import { ApiError, type FieldError } from '../http/errors.js';
import { BodyFields, type TakenFields } from '../http/validation/body-fields.js';
import { type Fielded, FIELDED, type FieldReader, type FieldsOf } from '../http/fielded.js';
import { type DeclaredField, isFor } from './field-declaration.js';
import { type FieldMark, fieldMarkOf } from './field-marks.js';

/** Fields as an answer shows them: null where there is no value. */
export type ShownFields = Readonly<Record<string, FieldValue | null>>;

const NO_FIELDS: readonly DeclaredField[] = [];

/** The fields that the plugins of one application have declared. */
export class FieldCatalogue extends BodyFields {
  private readonly byThing: ReadonlyMap<Fielded, readonly DeclaredField[]>;

  constructor(readonly all: readonly DeclaredField[]) {
    super();
    const things = FIELDED.filter((thing) => all.some(({ on }) => on === thing));
    this.byThing = new Map(things.map((thing) => [thing, all.filter(({ on }) => on === thing)]));
  }

  on(thing: Fielded): readonly DeclaredField[] {
    return this.byThing.get(thing) ?? NO_FIELDS;
  }

  has(thing: Fielded): boolean {
    return this.byThing.has(thing);
  }

  readable({ on, reader }: FieldsOf): readonly DeclaredField[] {
    return this.on(on).filter(({ readableBy }) => isFor(readableBy, reader));
  }

  /** What a reader sees of a thing beside its own members; what plugins that are gone have left is not shown. */
  shown(
    thing: Fielded,
    values: FieldChanges | null | undefined,
    reader: FieldReader,
  ): ShownFields | undefined {
    const fields = this.byThing.get(thing);
    if (fields === undefined) return undefined;
    const shown: Record<string, FieldValue | null> = {};
    for (const { name, type, readableBy } of fields) {
      if (!isFor(readableBy, reader)) continue;
      const value = values?.[name];
      // One that was stored when the field had another type is not shown as one of this type.
      shown[name] = value === undefined ? null : (type.valueOf(value) ?? null);
    }
    return shown;
  }

  /** Those that a mark's bodies, answers or queries have. */
  fieldsOf({ on, use, reader }: FieldMark): readonly DeclaredField[] {
    return this.on(on).filter(({ readableBy, writableBy, filterable }) =>
      use === 'body'
        ? isFor(writableBy, reader)
        : isFor(readableBy, reader) && (use === 'answer' || filterable),
    );
  }

  override take(type: Type, source: Readonly<Record<string, unknown>>): TakenFields | undefined {
    if (this.byThing.size === 0) return undefined;
    const mark = fieldMarkOf(type);
    if (mark === undefined || mark.use === 'answer') return undefined;
    const rest = { ...source };
    const errors: FieldError[] = [];
    const taken: Record<string, FieldValue | null> = {};
    for (const field of this.fieldsOf(mark)) {
      if (!Object.hasOwn(source, field.name)) continue;
      Reflect.deleteProperty(rest, field.name);
      const value = read(field, source[field.name], mark);
      if (value !== undefined) taken[field.name] = value;
      else errors.push({ field: field.name, message: `${field.name} must be ${field.type.expects}` });
    }
    if (errors.length > 0) throw ApiError.validation(errors);
    return { rest, fields: Object.keys(taken).length === 0 ? undefined : taken };
  }
}

function read({ type }: DeclaredField, value: unknown, { use }: FieldMark): FieldChanges[string] | undefined {
  if (use === 'filter') return typeof value === 'string' ? type.valueOfText(value) : undefined;
  return value === null ? null : type.valueOf(value);
}
