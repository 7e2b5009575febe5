/**
 * Every number in what the core is asked for is an id, a count, a level or a time, and so a whole number. What comes by HTTP was
 * validated; a plugin's NaN would fail in the database, end the term, and halt the market that was named beside it.
 */
import { ServiceFailure } from '../../kit/coded-error.js';
import { commandsIn, type Work } from '../requests/work.js';

/** What to reject the work with; undefined where all is well. */
export function numberFailure(work: Work): ServiceFailure | undefined {
  if (work.kind === 'quote') return failureOf('the quote', work.request);
  for (const command of commandsIn(work)) {
    const failure = failureOf(command.type, command);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function failureOf(what: string, asked: object): ServiceFailure | undefined {
  const fault = faultIn(asked);
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
