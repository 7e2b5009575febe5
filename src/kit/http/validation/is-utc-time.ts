import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, buildMessage, type ValidationOptions } from 'class-validator';

const UTC_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;

/** An RFC 3339 time in UTC from 1970 on, to the millisecond at most, such as `2026-11-01T12:00:00.000Z`. */
export function IsUtcTime(options: ValidationOptions = {}): PropertyDecorator {
  const describe = ApiProperty({ type: String, format: 'date-time' });
  const check = ValidateBy(
    {
      name: 'isUtcTime',
      validator: {
        validate: (value) => typeof value === 'string' && parseUtcTime(value) !== undefined,
        defaultMessage: buildMessage(
          (eachPrefix) =>
            `${eachPrefix}$property must be an RFC 3339 time in UTC, such as "2026-11-01T12:00:00.000Z"`,
          options,
        ),
      },
    },
    options,
  );
  return (target, property) => {
    describe(target, property);
    check(target, property);
  };
}

/** Milliseconds since the epoch; `undefined` for other formats, days that do not exist, and times before 1970. */
export function parseUtcTime(text: string): number | undefined {
  if (!UTC_TIME.test(text)) return undefined;
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs) || timeMs < 0) return undefined;
  // Date.parse turns 31 February into a day of March; a real day round-trips.
  return new Date(timeMs).toISOString().startsWith(text.slice(0, 19)) ? timeMs : undefined;
}
