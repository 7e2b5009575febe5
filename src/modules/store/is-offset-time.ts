import { ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateBy, buildMessage } from 'class-validator';

const OFFSET_TIME =
  /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,9})?(?:Z|([+-])([01]\d|2[0-3]):?([0-5]\d))$/;
const YEAR_10000_MS = Date.UTC(10_000, 0);

/**
 * An optional RFC 3339 time from 1970 on with any offset, since generated Petstore clients write their own
 * zone; `+0000` is taken for `+00:00`, as Petstore's own server writes it.
 */
export function IsOffsetTime(): PropertyDecorator {
  const describe = ApiPropertyOptional({ type: String, format: 'date-time' });
  const check = ValidateBy({
    name: 'isOffsetTime',
    validator: {
      validate: (value) => typeof value === 'string' && parseOffsetTime(value) !== undefined,
      defaultMessage: buildMessage(
        (eachPrefix) => `${eachPrefix}$property must be an RFC 3339 time, such as "2026-11-01T12:00:00.000Z"`,
      ),
    },
  });
  return (target, property) => {
    describe(target, property);
    check(target, property);
  };
}

/**
 * The moment that the text names, to the millisecond; `undefined` for any other form, for days that do not
 * exist, and for moments before 1970 or after the year 9999.
 */
export function parseOffsetTime(text: string): Date | undefined {
  const match = OFFSET_TIME.exec(text);
  if (!match) return undefined;
  const [, local = '', fraction = '', sign, hours, minutes] = match;
  const localMs = Date.parse(`${local}Z`);
  // Date.parse carries 31 February over into March; a real day comes back as it was written.
  if (Number.isNaN(localMs) || !new Date(localMs).toISOString().startsWith(local)) return undefined;
  const offsetMs = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * 60_000;
  const fractionMs = Number(fraction.slice(1, 4).padEnd(3, '0'));
  const timeMs = localMs + fractionMs + (sign === '-' ? offsetMs : -offsetMs);
  return timeMs >= 0 && timeMs < YEAR_10000_MS ? new Date(timeMs) : undefined;
}
