import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy, buildMessage, type ValidationOptions } from 'class-validator';
import { DECIMAL_PATTERN } from '../../../domain/money/amount.js';

export interface PlainDecimalOptions extends ValidationOptions {
  /** Refuses `"0"` and its longer forms. Default false. */
  readonly positive?: boolean;
}

/**
 * A decimal of the API: a JSON string of up to 18 whole and 18 fraction digits, without sign, exponent, padding or
 * spaces. JSON numbers are refused, since parsers make floats of them.
 */
export function IsPlainDecimal(options: PlainDecimalOptions = {}): PropertyDecorator {
  const { positive = false, ...validationOptions } = options;
  const describe = ApiProperty({ type: String, format: 'decimal', pattern: DECIMAL_PATTERN.source });
  const check = ValidateBy(
    {
      name: 'isPlainDecimal',
      validator: {
        validate: (value) =>
          typeof value === 'string' && DECIMAL_PATTERN.test(value) && !(positive && isZero(value)),
        defaultMessage: buildMessage(
          (eachPrefix) =>
            `${eachPrefix}$property must be a ${positive ? 'positive ' : ''}plain decimal in a string, such as "0.1"`,
          validationOptions,
        ),
      },
    },
    validationOptions,
  );
  return (target, property) => {
    describe(target, property);
    check(target, property);
  };
}

function isZero(decimal: string): boolean {
  for (let i = 0; i < decimal.length; i++) {
    const character = decimal.charCodeAt(i);
    if (character !== 0x30 && character !== 0x2e) return false;
  }
  return true;
}
