import { describe, expect, it } from 'vitest';
import { IntegerIdPipe } from './integer-id.js';

const pipe = new IntegerIdPipe();

describe('IntegerIdPipe', () => {
  it.each([
    ['1', 1],
    ['42', 42],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('reads %s', (text, id) => {
    expect(pipe.transform(text, {})).toBe(id);
  });

  it.each([
    '',
    '0',
    '-1',
    '+1',
    '01',
    ' 1',
    '1 ',
    '1\n',
    '1.0',
    '1e3',
    '0x10',
    '١',
    '9007199254740992',
    '9007199254740993',
    '99999999999999999999',
    'nothing',
  ])('refuses %j, by name', (text) => {
    expect(() => pipe.transform(text, { data: 'petId' })).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        status: 400,
        details: [{ field: 'petId', message: 'petId must be an integer from 1 to 9007199254740991' }],
      }),
    );
  });
});
