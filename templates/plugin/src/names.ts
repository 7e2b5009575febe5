/** All names that the plugin adds to the service, each declared once. */
import { ErrorCode, Scope, readers, setting, type MetricOptions } from 'tradepost';

export const NOTES_SCOPE = new Scope('acme-loyalty:notes', 'read and write own notes');

export const TOO_MANY_NOTES = new ErrorCode(
  'acme_loyalty_too_many_notes',
  409,
  'the owner has as many notes as there may be.',
);

export const NOTES_MAX = setting(
  'ACME_LOYALTY_NOTES_MAX',
  readers.integer(1, 10_000),
  '100',
  'How many notes one owner may have.',
);

export const NOTES_TOTAL: MetricOptions = {
  name: 'acme_loyalty_notes_total',
  help: 'Notes that were written.',
};
