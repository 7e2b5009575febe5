/**
 * What plugins may hand to the core, which takes it as it is: what comes by HTTP was validated.
 *
 * Every number in what the core is asked for is an id, a count, a level or a time, and so a whole number. A plugin's NaN
 * would fail in the database, end the term, and halt the market that was named beside it. So would fields that no index
 * of the database can read.
 */
import { isStorableText } from '../../kit/storable-text.js';
import { ServiceFailure } from '../../kit/coded-error.js';
import { commandsIn, type Work } from '../requests/work.js';

/** What to reject the work with; undefined where all is well. */
export function numberFailure(work: Work): ServiceFailure | undefined {
  if (work.kind === 'quote') return failureOf('the quote', work.request);
  for (const command of commandsIn(work)) {
    const fields = 'fields' in command ? faultInFields(command.fields) : undefined;
    const failure = failureOf(command.type, command, fields);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function failureOf(what: string, asked: object, known?: string): ServiceFailure | undefined {
  const fault = known ?? faultIn(asked);
  return fault === undefined
    ? undefined
    : new ServiceFailure('internal_error', `The core did not run ${what}: ${fault}.`);
}

function faultIn(value: object): string | undefined {
  for (const name in value) {
    const member: unknown = (value as Record<string, unknown>)[name];
    if (typeof member === 'number') {
      if (!Number.isSafeInteger(member)) return `${name} must be a whole number and is ${member}`;
    } else if (name === 'accountId')
      return `accountId must be a whole number and is of the type ${typeof member}`;
    else if (typeof member === 'object' && member !== null) {
      const fault = faultIn(member);
      if (fault !== undefined) return `${name}.${fault}`;
    }
  }
  return undefined;
}

const FIELD_NAME = /^[a-z][a-z0-9_]*$/;
/** Of all that one command gives an order, as JSON. */
const FIELDS_LENGTH_MAX = 65_536;

function faultInFields(fields: unknown): string | undefined {
  if (fields === undefined) return undefined;
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    return 'fields must be an object';
  for (const [name, value] of Object.entries(fields)) {
    if (!FIELD_NAME.test(name)) return `fields has the name ${JSON.stringify(name)}`;
    if (value === null || typeof value === 'boolean' || typeof value === 'number') continue;
    if (typeof value !== 'string') return `fields.${name} is of the type ${typeof value}`;
    if (!isStorableText(value)) return `fields.${name} has characters that cannot be stored`;
  }
  const { length } = JSON.stringify(fields);
  return length > FIELDS_LENGTH_MAX ? `fields has ${length} characters` : undefined;
}
