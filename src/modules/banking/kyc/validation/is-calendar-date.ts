import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, buildMessage } from 'class-validator';
import { applyDecorators } from '@nestjs/common';

const CALENDAR_DATE = /^(?:19|20|21)\d\d-\d\d-\d\d$/;

/** Whether it is a day of the years 1900 to 2199 that there was or will be, such as `2028-02-29`. */
export function isCalendarDate(value: unknown): boolean {
  if (typeof value !== 'string' || !CALENDAR_DATE.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  // A 31 April would have become a day of May.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

/** A day without a time, as RFC 3339 writes it. */
export function IsCalendarDate(): PropertyDecorator {
  return applyDecorators(
    ApiProperty({ type: 'string', format: 'date' }),
    ValidateBy({
      name: 'isCalendarDate',
      validator: {
        validate: isCalendarDate,
        defaultMessage: buildMessage(
          (eachPrefix) => `${eachPrefix}$property must be a day such as 1974-08-12`,
        ),
      },
    }),
  );
}
