import { describe, expect, it } from 'vitest';
import { isRoutingNumber, isUsAccountNumber } from './aba.js';

/** Published by the banks themselves. */
const BANKS = {
  'Federal Reserve Bank of Boston': '011000015',
  'JPMorgan Chase, New York': '021000021',
  'Bank of America, New York': '026009593',
  'Wells Fargo, California': '121000248',
  'Citibank, New York': '021000089',
  'US Bank, Minnesota': '091000022',
  'Charles Schwab Bank': '121202211',
  'Navy Federal Credit Union': '256074974',
};

describe('isRoutingNumber', () => {
  it.each(Object.entries(BANKS))('takes that of %s, and none with one digit changed', (_bank, number) => {
    expect(isRoutingNumber(number)).toBe(true);
    for (let place = 0; place < number.length; place++) {
      for (let digit = 0; digit < 10; digit++) {
        if (digit === Number(number.charAt(place))) continue;
        const changed = number.slice(0, place) + String(digit) + number.slice(place + 1);
        expect(isRoutingNumber(changed), changed).toBe(false);
      }
    }
  });

  it.each([
    ['nothing', ''],
    ['zeros, though their checksum fits', '000000000'],
    ['the government’s, which hold no accounts', '000000518'],
    ['traveller’s cheques', '800000006'],
    ['a prefix that nobody has', '130000006'],
    ['eight digits', '02100002'],
    ['ten digits', '0210000210'],
    ['a space', '02100002 '],
    ['digits of another script', '٠٢١٠٠٠٠٢١'],
  ])('refuses %s', (_what, number) => {
    expect(isRoutingNumber(number)).toBe(false);
  });
});

describe('isUsAccountNumber', () => {
  it.each(['1234', '000123456789', '12345678901234567'])('takes %s', (number) => {
    expect(isUsAccountNumber(number)).toBe(true);
  });

  it.each(['', '123', '0000', '123456789012345678', '12-34', '12 34', '=1+12', '１２３４'])(
    'refuses %j',
    (number) => {
      expect(isUsAccountNumber(number)).toBe(false);
    },
  );
});
