import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import FixPlugin from '../../plugins/fix/index.js';
import { PersonalDataRegistry } from '../../src/kit/personal-data/personal-data.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { queryOnce } from '../support/core.js';
import { readDocument } from '../support/documents.js';

/** Of the list in docs/privacy.md. */
interface Row {
  readonly tables: readonly string[];
  readonly exported: string;
  readonly afterwards: string;
}

const namesIn = (cell: string): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!);

function rowsOfDocument(): Row[] {
  const { text } = readDocument('docs/privacy.md');
  const list = text.slice(text.indexOf('## Table by table'));
  return list
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, tables = '', exported = '', afterwards = ''] = line.split('|').map((cell) => cell.trim());
      return { tables: namesIn(tables), exported, afterwards };
    });
}

describe('the list of tables in docs/privacy.md', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ plugins: [FixPlugin] });
  });
  afterAll(() => app.close());

  it('says of each table what becomes of personal data in it', async () => {
    const rows = rowsOfDocument();
    const tables = await queryOnce<{ name: string }>(
      app.config.databaseUrl!,
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    );
    const listed = rows.flatMap((row) => row.tables);
    expect([...listed].sort()).toEqual(tables.map(({ name }) => name).sort());
    for (const { tables: named, afterwards } of rows) {
      expect(afterwards, named.join()).toMatch(/erased|kept|deleted|nothing personal/);
    }
  });

  it('names every section of exports, and no other', () => {
    const named = rowsOfDocument().flatMap(({ exported }) => namesIn(exported));
    const sections = app.app.nest.get(PersonalDataRegistry).sections.map(({ name }) => name);
    expect([...new Set(named)].sort()).toEqual([...sections].sort());
  });
});
