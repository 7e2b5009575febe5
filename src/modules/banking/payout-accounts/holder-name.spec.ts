import { expect, it } from 'vitest';
import { checkHolderName } from './holder-name.js';

it.each([
  ['Anna Maria Eriksson', 'Anna Maria Eriksson', 'match'],
  ['ERIKSSON, ANNA MARIA', 'Anna Maria Eriksson', 'match'],
  ['Anna Eriksson', 'Anna Maria Eriksson', 'match'],
  ['Łukasz Żółć', 'LUKASZ ZOLC', 'match'],
  ['Иван Иванов', 'Ivan Ivanov', 'match'],
  ['Seán O’Brien', 'Sean OBrien', 'match'],
  ['Eriksson', 'Anna Maria Eriksson', 'mismatch'],
  ['Anna Maria', 'Anna Eriksson', 'mismatch'],
  ['Bob Eriksson', 'Anna Maria Eriksson', 'mismatch'],
  ['🚀', 'Anna Maria Eriksson', 'mismatch'],
  ['Anyone', null, 'unchecked'],
])('%j and the KYC name %j: %s', (holder, known, expected) => {
  expect(checkHolderName(holder, known)).toBe(expected);
});
