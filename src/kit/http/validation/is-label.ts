import { ValidateBy, buildMessage, type ValidationOptions } from 'class-validator';

const CONTROL_CHARACTER = /\p{Cc}/u;

/** A line of text that people read: 1 to `lengthMax` characters, not all blank, without control characters. */
export function IsLabel(lengthMax: number, options: ValidationOptions = {}): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isLabel',
      validator: {
        validate: (value) =>
          typeof value === 'string' &&
          value.length <= lengthMax &&
          value.trim() !== '' &&
          !CONTROL_CHARACTER.test(value),
        defaultMessage: buildMessage(
          (eachPrefix) =>
            `${eachPrefix}$property must be a text of 1 to ${lengthMax} characters without line breaks, not all blank`,
          options,
        ),
      },
    },
    options,
  );
}
