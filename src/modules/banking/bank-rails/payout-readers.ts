import { electronicFormatIBAN, isValidBIC, isValidIBAN } from 'ibantools';
import { isRoutingNumber } from '../../../domain/banking/aba.js';
import type { Reader } from '../../../kit/config/readers.js';

/** An IBAN; spaces are removed. */
export const iban: Reader<string> = {
  expects: 'an IBAN such as DE89 3704 0044 0532 0130 00',
  parse: (text) => {
    const value = electronicFormatIBAN(text);
    return value !== null && isValidIBAN(value) ? value : undefined;
  },
};

export const bic: Reader<string> = {
  expects: 'a BIC of 8 or 11 characters, such as COBADEFFXXX',
  parse: (text) => (isValidBIC(text) ? text.toUpperCase() : undefined),
};

export const routingNumber: Reader<string> = {
  expects: 'an ABA routing number of nine digits',
  parse: (text) => (isRoutingNumber(text) ? text : undefined),
};

/** `15:30` as minutes since midnight. */
export const timeOfDay: Reader<number> = {
  expects: 'a time of day such as 15:30',
  parse: (text) => {
    const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
    return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
  },
};
