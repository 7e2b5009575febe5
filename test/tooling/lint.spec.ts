import { ESLint } from 'eslint';
import { glob, readFile } from 'node:fs/promises';
import { getMetadataArgsStorage } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { CORE_ENTITIES } from '../../eslint/core-writes-alone.js';

const eslint = new ESLint();

/** The rules that `code` breaks, linted as that file's text. */
async function broken(path: string, code: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(code, { filePath: path });
  return (result?.messages ?? []).map(({ ruleId }) => ruleId);
}

// The first lint loads the types of the whole project.
describe('the house rules that lint enforces', { timeout: 300_000 }, () => {
  const READER = 'src/modules/markets/orders/order-history.service.ts';
  const declarations = `
    import type { EntityManager, Repository } from 'typeorm';
    import { OrderEntity } from './order.entity.js';
    import { CandleEntity } from '../market-data/candle.entity.js';
    declare const orders: Repository<OrderEntity>;
    declare const candles: Repository<CandleEntity>;
    declare const manager: EntityManager;
    declare const order: OrderEntity;
  `;

  it.each([
    'await orders.save(order);',
    'await orders.insert({});',
    "await orders.update('1', {});",
    "await orders.delete('1');",
    'await orders.upsert([], []);',
    "await orders.createQueryBuilder('o').delete().execute();",
    "await manager.delete(OrderEntity, '1');",
    'await manager.save(order);',
    'await manager.save([order]);',
    'await manager.createQueryBuilder().insert().into(OrderEntity).values({}).execute();',
    'await manager.createQueryBuilder().update(OrderEntity).set({}).execute();',
    'await manager.getRepository(OrderEntity).remove(order);',
  ])('a table of the core is not written beside it: %s', async (statement) => {
    expect(await broken(READER, declarations + statement)).toContain('tradepost/core-writes-alone');
  });

  it.each([
    'export const found = await orders.find();',
    "export const found = await orders.createQueryBuilder('o').getMany();",
    'await candles.save({});',
    'export const seen = new Set<OrderEntity>(); seen.delete(order);',
  ])('reading it, and writing what a group owns, is fine: %s', async (statement) => {
    expect(await broken(READER, declarations + statement)).not.toContain('tradepost/core-writes-alone');
  });

  it('errors of routes are described from the table of codes', async () => {
    const importing = (name: string): Promise<(string | null)[]> =>
      broken('src/modules/pets/pets.controller.ts', `export { ${name} } from '@nestjs/swagger';`);
    expect(await importing('ApiNotFoundResponse')).toContain('no-restricted-imports');
    expect(await importing('ApiOkResponse')).not.toContain('no-restricted-imports');
  });

  it('knows every entity whose table the core made', async () => {
    const core = await readFile('src/migrations/1780000000000-create-core-tables.ts', 'utf8');
    const tables = new Set(
      [...core.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/g)].map(([, name]) => name),
    );
    // Other specs of the same worker may have declared entities of plugins.
    const ofModules = new Set<unknown>();
    for await (const path of glob('src/modules/**/*.entity.ts')) {
      const exported = (await import(/* @vite-ignore */ `../../${path}`)) as object;
      for (const each of Object.values(exported)) ofModules.add(each);
    }
    const owned = getMetadataArgsStorage()
      .tables.filter(({ name, target }) => name !== undefined && tables.has(name) && ofModules.has(target))
      .map(({ target }) => (typeof target === 'function' ? target.name : target));
    expect(owned.sort()).toEqual([...CORE_ENTITIES].sort());
  });

  it.each([
    ['src/core/term.ts', 'export const port = process.env.PORT;', 'no-restricted-properties'],
    ['src/core/term.ts', "console.log('started');", 'no-console'],
    ['src/core/term.ts', 'export function read(value: any): void {}', '@typescript-eslint/no-explicit-any'],
    ['src/core/term.ts', 'Promise.resolve();', '@typescript-eslint/no-floating-promises'],
    [
      'src/core/term.ts',
      "import { Client } from 'pg'; export type C = Client;",
      '@typescript-eslint/consistent-type-imports',
    ],
    ['src/domain/ids.ts', 'export const now = Date.now();', 'no-restricted-globals'],
    ['src/domain/ids.ts', 'export const chance = Math.random();', 'no-restricted-properties'],
    ['src/domain/ids.ts', 'setTimeout(() => undefined, 1);', 'no-restricted-globals'],
    [
      'src/core/term.ts',
      "import type { Pool } from 'pg'; declare const pool: Pool; export const client = await pool.connect();",
      'no-restricted-syntax',
    ],
    [
      'src/core/term.ts',
      "import pg from 'pg'; export const client = new pg.Client('postgres://db/x');",
      'no-restricted-syntax',
    ],
  ])('%s: %s breaks %s', async (path, code, rule) => {
    expect(await broken(path, code)).toContain(rule);
  });

  it('leaves the imports of decorated files alone, which Nest reads at run time', async () => {
    const code = `
      import { Injectable } from '@nestjs/common';
      import { CoreService } from './core.service.js';
      @Injectable()
      export class Caller { constructor(private readonly core: CoreService) {} started = (): unknown => this.core; }
    `;
    expect(await broken('src/core/core.module.ts', code)).toEqual([]);
  });

  it('lets one file read the environment', async () => {
    expect(await broken('src/platform/config/config.ts', 'export const env = process.env;')).toEqual([]);
  });
});
