import { describe, expect, it } from 'vitest';
import { bindWords, type Catalog, misfit, missingKeys, withReplaced } from './catalog.js';
import { bestLanguage, isLanguageTag, ownName } from './languages.js';

const en = {
  title: 'Markets',
  row: 'Row {row} of {rows}',
  count: { one: '{count} market', other: '{count} markets' },
  parts: { all: 'All', other: 'Others {count}' },
} as const;

describe('words of a catalog', () => {
  it('are texts, messages and plurals, with numbers as the language writes them', () => {
    const words = bindWords<typeof en>(en, 'en');
    expect(words.title).toBe('Markets');
    expect(words.row({ row: 1_234, rows: '5000' })).toBe('Row 1,234 of 5000');
    expect([0, 1, 2].map((count) => words.count({ count }))).toEqual(['0 markets', '1 market', '2 markets']);
    expect(words.parts.other({ count: 3 })).toBe('Others 3');
    const german = { ...en, count: { one: '{count} Markt', other: '{count} Märkte' } };
    expect(bindWords<typeof en>(german, 'de').count({ count: 1_234 })).toBe('1.234 Märkte');
  });

  it('have as many plurals as their language', () => {
    const count = {
      one: '{count} rynek',
      few: '{count} rynki',
      many: '{count} rynków',
      other: '{count} rynku',
    };
    const words = bindWords<typeof en>({ ...en, count }, 'pl');
    expect([1, 2, 5].map((number) => words.count({ count: number }))).toEqual([
      '1 rynek',
      '2 rynki',
      '5 rynków',
    ]);
  });

  it('insert values once: what a person typed is no placeholder', () => {
    const words = bindWords<typeof en>(en, 'en');
    expect(words.row({ row: '{rows}', rows: '$&' })).toBe('Row {rows} of $&');
  });
});

describe('a translation', () => {
  it('fits with some of the keys, and all of the placeholders', () => {
    expect(misfit(en, { row: '{rows}: {row}', count: { other: '{count}' } })).toBeUndefined();
    expect(missingKeys(en, { title: 'Märkte', parts: { all: 'Alle' } })).toEqual([
      'row',
      'count',
      'parts.other',
    ]);
    expect(withReplaced(en, { parts: { all: 'Alle' } })).toMatchObject({
      title: 'Markets',
      parts: { all: 'Alle' },
    });
  });

  it.each<[unknown, string]>([
    [{ titel: 'x' }, 'there is no text "titel"'],
    [{ parts: { none: 'x' } }, 'there is no text "parts.none"'],
    [{ constructor: 'x' }, 'there is no text "constructor"'],
    [JSON.parse('{"__proto__": "x"}'), 'there is no text "__proto__"'],
    [{ title: 7 }, '"title" must be a text'],
    [{ title: null }, '"title" must be a text'],
    [{ title: ['x'] }, '"title" must be a text'],
    [{ parts: 'x' }, '"parts" is no text but holds several'],
    [{ parts: null }, '"parts" is no text but holds several'],
    [{ count: 'x {count}' }, '"count" must be an object'],
    [{ count: { one: '{count}' } }, '"count" must be an object'],
    [{ count: null }, '"count" must be an object'],
    [{ row: '{row}' }, '"row" lacks the placeholder {rows}'],
    [{ row: '{row} {rows} {count}' }, '"row" has no placeholder {count}, but {row}, {rows}'],
    [{ title: '{user}' }, '"title" has no placeholder {user}'],
  ])('is refused as %j', (translation, problem) => {
    expect(misfit(en, translation as Catalog)).toContain(problem);
  });
});

describe('a language', () => {
  it('is the dearest that there is', () => {
    expect(bestLanguage(['fr', 'de-AT', 'en'], ['en', 'de'])).toBe('de');
    expect(bestLanguage(['pt-br'], ['en', 'pt-BR'])).toBe('pt-BR');
    expect(bestLanguage(['*', 'fr', '__proto__', ''], ['en', 'de'])).toBeUndefined();
  });

  it('has a name of its own, and a tag', () => {
    expect(['de', 'en', 'fr'].map(ownName)).toEqual(['Deutsch', 'English', 'Français']);
    expect(['de', 'pt-BR', 'zh-Hant'].every(isLanguageTag)).toBe(true);
    expect(['', 'DE', 'de_DE', '../de', 'd', 'de-', 'pt-br', 'constructor'].some(isLanguageTag)).toBe(false);
  });
});
