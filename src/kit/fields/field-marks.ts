/** Which DTOs take, show or filter by declared fields. */
import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import type { Fielded, FieldReader, FieldsOf } from '../http/fielded.js';

export interface FieldMark extends FieldsOf {
  readonly use: 'body' | 'answer' | 'filter';
}

const MARKS = new Map<Type, FieldMark>();

/** A body that gives fields; the DTO gets them, validated, as its member `fields`. */
export function AcceptsFields(on: Fielded, reader: FieldReader = 'owner'): ClassDecorator {
  return marked({ on, use: 'body', reader });
}

/** An answer that shows fields beside what its class says. */
export function ShowsFields(on: Fielded, reader: FieldReader = 'owner'): ClassDecorator {
  return marked({ on, use: 'answer', reader });
}

/** A query that selects by filterable fields; the DTO gets them as its member `fields`. */
export function FiltersByFields(on: Fielded, reader: FieldReader = 'owner'): ClassDecorator {
  return marked({ on, use: 'filter', reader });
}

function marked(mark: FieldMark): ClassDecorator {
  return (type) => void MARKS.set(type as unknown as Type, mark);
}

export function fieldMarkOf(type: Type): FieldMark | undefined {
  return MARKS.get(type);
}

export function fieldMarks(): ReadonlyMap<Type, FieldMark> {
  return MARKS;
}

/** The names of what a DTO has by its own class and those that it extends. */
export function membersOf(type: Type): ReadonlySet<string> {
  const validated = getMetadataStorage().getTargetValidationMetadatas(type, type.name, false, false);
  const names = new Set(validated.map(({ propertyName }) => propertyName));
  let each: object = type;
  while (each !== Function.prototype) {
    const { _OPENAPI_METADATA_FACTORY: documented } = each as Documented;
    for (const name of Object.keys(documented?.() ?? {})) names.add(name);
    each = Object.getPrototypeOf(each) as object;
  }
  return names;
}

/** What the compiler's plugin of @nestjs/swagger adds to DTOs. */
interface Documented {
  readonly _OPENAPI_METADATA_FACTORY?: () => object;
}
