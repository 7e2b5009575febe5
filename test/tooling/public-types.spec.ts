import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { changeOf, publicTypes } from '../../scripts/support/public-types.js';

const FILE = 'public-types.txt';
const ADVICE = {
  none: '',
  additive: `The types of the package have more in them: run "npm run public:types" and commit ${FILE}.`,
  breaking:
    'The types of the package have changed so that plugins may not compile or not run any more: take it back, or make it a ' +
    `major version, with a line in CHANGELOG.md. Then run "npm run public:types" and commit ${FILE}.`,
};

describe('the types of the package', () => {
  it('are those that were committed', async () => {
    const [before, after] = [await readFile(FILE, 'utf8'), publicTypes()];
    expect(ADVICE[changeOf(before, after)]).toBe('');
    expect(after).toBe(before);
  });

  const FEES = 'export declare abstract class Fees {\n    abstract ratesFor(): string;\n}';
  const ORDER = 'export interface Order {\n    readonly id: string;\n}';
  const both = `${FEES}\n\n${ORDER}`;
  it.each([
    ['nothing', both, 'none'],
    ['a new name', `${both}\n\nexport interface Quote {\n    readonly id: string;\n}`, 'additive'],
    [
      'a member that may be left out',
      both.replace('string;\n}', 'string;\n    readonly note?: string;\n}'),
      'additive',
    ],
    ['a method that has a body', both.replace('string;\n}', 'string;\n    nameOf(): string;\n}'), 'additive'],
    [
      'a method that others must write',
      both.replace('string;\n}', 'string;\n    abstract nameOf(): string;\n}'),
      'breaking',
    ],
    [
      'a member that must be there',
      `${FEES}\n\n${ORDER.replace('string;\n}', 'string;\n    readonly at: number;\n}')}`,
      'breaking',
    ],
    ['another type', both.replace('id: string', 'id: number'), 'breaking'],
    ['a name that is gone', ORDER, 'breaking'],
    ['a member that is gone', both.replace('    readonly id: string;\n', ''), 'breaking'],
  ] as const)('tell of %s', (_what, after, change) => {
    expect(changeOf(both, after)).toBe(change);
  });
});
