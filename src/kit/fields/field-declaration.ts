import {
  FIELD_AUDIENCES,
  type FieldAudience,
  FIELDED,
  type Fielded,
  type FieldReader,
} from '../http/fielded.js';
import { FieldType } from './field-type.js';

/** On one kind of thing, of all plugins together. */
export const FIELDS_MAX = 32;
/** Of all fields of one thing. */
export const FIELDS_LENGTH_MAX = 8_000;

/** A field that a plugin adds to things of the service. */
export interface FieldDeclaration {
  readonly on: Fielded;
  /** In snake case, after the plugin's own name, such as `acme_desk`. */
  readonly name: string;
  readonly type: FieldType;
  /** For the document. */
  readonly description?: string;
  /** Whether lists take `?acme_desk=`; an index is made at the start. */
  readonly filterable?: boolean;
  /** The owner; of markets, operators. */
  readonly writableBy?: FieldAudience;
  /** The owner; of markets, everybody. */
  readonly readableBy?: FieldAudience;
}

/** With its defaults, and whose it is. */
export type DeclaredField = Required<Omit<FieldDeclaration, 'description'>> &
  Pick<FieldDeclaration, 'description'> & { readonly plugin: string };

const MEMBERS: ReadonlySet<string> = new Set([
  'on',
  'name',
  'type',
  'description',
  'filterable',
  'writableBy',
  'readableBy',
]);

export function declaredField(plugin: string, field: FieldDeclaration): DeclaredField {
  const { filterable = false, readableBy = 'owner', writableBy = writableByDefault(field.on) } = field;
  return { ...field, plugin, filterable, readableBy, writableBy };
}

function writableByDefault(on: Fielded): FieldAudience {
  return on === 'markets' ? 'operators' : 'owner';
}

/** Whether a field that is for an audience is for this one, who asks. */
export function isFor(audience: FieldAudience, reader: FieldReader): boolean {
  return audience === 'owner' || audience === reader;
}

/** What is wrong with a declaration, as the end of "has the field …, which"; null where nothing is. */
export function fieldProblem(field: FieldDeclaration): string | null {
  const unknown = Object.keys(field).find((member) => !MEMBERS.has(member));
  if (unknown !== undefined) return `has an unknown member "${unknown}"`;
  if (!FIELDED.includes(field.on)) return `needs "on" to be one of ${FIELDED.join(', ')}`;
  if (!(field.type instanceof FieldType))
    return 'needs a "type": text(max), integer, decimal, oneOf(…), bool or timestamp';
  if (field.type.problem !== null) return field.type.problem;
  for (const member of ['writableBy', 'readableBy'] as const) {
    const audience = field[member];
    if (audience !== undefined && !FIELD_AUDIENCES.includes(audience))
      return `needs "${member}" to be one of ${FIELD_AUDIENCES.join(', ')}`;
  }
  const { filterable, description, on, writableBy, readableBy } = field;
  if (filterable !== undefined && typeof filterable !== 'boolean')
    return 'needs "filterable" to be true or false';
  if (description !== undefined && typeof description !== 'string') return 'needs "description" to be text';
  if (on === 'markets' && writableBy === 'owner') return 'is on markets, which operators alone change';
  const isOfOwners = (writableBy ?? 'owner') === 'owner' && (readableBy ?? 'owner') === 'owner';
  if (on === 'messages' && (filterable === true || !isOfOwners))
    return 'is on messages, whose fields their authors write, all who see them read, and no list selects by';
  if (filterable === true && readableBy === 'plugin') return 'is filterable, but nobody may read it';
  return null;
}
