import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { de } from '../../console/src/words/de/index.js';
import { en } from '../../console/src/words/en/index.js';
import { modulesWith } from '../../src/app.module.js';
import { misfit, missingKeys } from '../../src/domain/words/catalog.js';
import { loadConfig } from '../../src/kit/config/config.js';
import { WordCatalog } from '../../src/kit/words/word-catalog.js';

const CATALOGS = [...modulesWith([], loadConfig({})).words, new WordCatalog('console', { en, de })];

describe.each(CATALOGS.map((catalog) => [catalog.name, catalog.plain] as const))(
  'the words of %s',
  (_name, plain) => {
    it('have the same keys and placeholders in both languages', () => {
      expect(misfit(plain['en']!, plain['de']!)).toBeUndefined();
      expect(misfit(plain['de']!, plain['en']!)).toBeUndefined();
      expect(missingKeys(plain['en']!, plain['de']!)).toEqual([]);
    });
  },
);

it('has a description in German of every scope', () => {
  const { plain } = modulesWith([], loadConfig({})).scopes.words;
  const same = Object.keys(plain['en']!).filter((name) => plain['en']![name] === plain['de']![name]);
  expect(same).toEqual([]);
});

/** What people read or hear; a constant of it belongs into a catalog. */
const TOLD = new Set(['aria-label', 'title', 'placeholder', 'alt', 'label', 'hint', 'aria-description']);
/** Neither an example of an id or an address, nor an attribute of markup. */
const isWord = (text: string): boolean =>
  /\p{L}{2,}/u.test(text) && !/^(?:[A-Z]+-[A-Z]+|https:\/\/…|autofocus)$/.test(text.trim());

function literalsIn(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (ts.isJsxText(node) && isWord(node.text)) found.push(node.text.trim());
    if (
      ts.isJsxExpression(node) &&
      (ts.isJsxElement(node.parent) || ts.isJsxFragment(node.parent)) &&
      node.expression !== undefined &&
      ts.isStringLiteralLike(node.expression) &&
      isWord(node.expression.text)
    ) {
      found.push(node.expression.text);
    }
    if (ts.isJsxAttribute(node) && TOLD.has(node.name.getText())) {
      const value = node.initializer;
      const literal = value !== undefined && ts.isJsxExpression(value) ? value.expression : value;
      if (literal !== undefined && ts.isStringLiteralLike(literal) && isWord(literal.text))
        found.push(literal.text);
    }
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'html')
      found.push(...wordsOf(node.template));
    ts.forEachChild(node, look);
  };
  look(source);
  return found.map((text) => `${file}: ${text}`);
}

/** Stands for what a template inserts. */
const INSERTED = '\uFFFC';

/** The text between the tags of markup; what is inserted comes from elsewhere. */
function wordsOf(template: ts.TemplateLiteral): string[] {
  const markup = ts.isNoSubstitutionTemplateLiteral(template)
    ? template.text
    : template.head.text + template.templateSpans.map(({ literal }) => `${INSERTED}${literal.text}`).join('');
  const text = markup.replace(/<style>[\s\S]*?<\/style>/g, '').replace(/<[^<>]*>/g, '\n');
  const attributes = [...markup.matchAll(/(?:aria-label|title|placeholder|alt)="([^"\uFFFC]*)"/g)].map(
    ([, value]) => value!,
  );
  return [...text.split(/[\n\uFFFC]/), ...attributes].map((each) => each.trim()).filter(isWord);
}

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.endsWith('.spec.ts'))
    .map((name) => join(folder, name));
}

describe('no text for people is in code', () => {
  it('of the console', () => {
    expect(filesIn('console/src', '.tsx').flatMap(literalsIn)).toEqual([]);
  });

  it('of pages and mails', () => {
    const pages = ['src/modules/auth', 'src/modules/users', 'src/kit/mail'].flatMap((folder) =>
      filesIn(folder, '.ts'),
    );
    // Pages' markup without its tags begins in the middle of one where a value stands in it.
    expect(pages.flatMap(literalsIn).filter((text) => !/[=>]|: (?:"|class=)/.test(text))).toEqual([]);
  });

  it('is what the look finds', () => {
    const source = 'export const x = <p title="A title">Some text {"more text"}<b>{y}</b></p>;';
    const file = join(import.meta.dirname, '../../node_modules/.words-probe.tsx');
    ts.sys.writeFile(file, source);
    expect(literalsIn(file).map((found) => found.split(': ')[1])).toEqual([
      'A title',
      'Some text',
      'more text',
    ]);
  });
});
