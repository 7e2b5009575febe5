import { ValidateBy, buildMessage } from 'class-validator';
import { isCountryCode, isDocumentCountryCode } from './countries.js';

/** A country by ISO 3166-1 alpha-2; with `orZoneCode: true` also the three letters that documents have. */
export function IsCountryCode({
  orZoneCode = false,
}: { readonly orZoneCode?: boolean } = {}): PropertyDecorator {
  const isOne = orZoneCode ? isDocumentCountryCode : isCountryCode;
  return ValidateBy({
    name: 'isCountryCode',
    validator: {
      validate: (value) => typeof value === 'string' && isOne(value),
      defaultMessage: buildMessage(
        (eachPrefix) => `${eachPrefix}$property must be a country such as PT${orZoneCode ? ' or UTO' : ''}`,
      ),
    },
  });
}
