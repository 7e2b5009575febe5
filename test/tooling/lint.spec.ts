import { execFile } from 'node:child_process';
import { cp, glob, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { getMetadataArgsStorage } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORE_ENTITIES } from '../../lint/core-writes-alone.js';

/** A small house of what is linted: all cases in one run. */
const files: Record<string, string> = {
  'package.json': '{ "type": "module" }',
  'src/modules/markets/orders/order.entity.ts': 'export class OrderEntity { id!: string; }',
  'src/modules/markets/market-data/candle.entity.ts': 'export class CandleEntity { id!: string; }',
  'src/core/core.service.ts': 'export class CoreService { started = true; }',
};
let rules: ReadonlyMap<string, readonly string[]>;

/** Adds `code` to the house, as a file of its own in that folder; answers how to read which rules it breaks. */
function linted(folder: string, code: string): () => readonly string[] {
  const path = join(folder, `case-${Object.keys(files).length}.ts`);
  return lintedFile(path, code);
}

function lintedFile(path: string, code: string): () => readonly string[] {
  files[path] = code;
  return () => rules.get(path) ?? [];
}

/** The rules that each file of a house of these files breaks. */
async function lint(root: string): Promise<ReadonlyMap<string, readonly string[]>> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  for (const name of ['oxlint.config.ts', 'tsconfig.json', 'lint'])
    await cp(name, join(root, name), { recursive: true });
  await symlink(resolve('node_modules'), join(root, 'node_modules'));
  const output = await new Promise<string>((done) => {
    execFile(
      resolve('node_modules/.bin/oxlint'),
      ['--format', 'json', 'src', 'plugins'],
      { cwd: root, maxBuffer: 1e8 },
      (_error, stdout) => done(stdout),
    );
  });
  const { diagnostics } = JSON.parse(output) as { diagnostics: { code: string; filename: string }[] };
  const found = new Map<string, string[]>();
  for (const { code, filename } of diagnostics) {
    const path = relative(root, resolve(root, filename));
    found.set(path, [...(found.get(path) ?? []), code]);
  }
  return found;
}

describe('the house rules that lint enforces', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tradepost-lint-'));
    rules = await lint(root);
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const ORDERS = 'src/modules/markets/orders';
  const declarations = `
    import type { EntityManager, Repository } from 'typeorm';
    import { OrderEntity } from './order.entity.js';
    import { CandleEntity } from '../market-data/candle.entity.js';
    declare const orders: Repository<OrderEntity>;
    declare const candles: Repository<CandleEntity>;
    declare const manager: EntityManager;
    declare const order: OrderEntity;
  `;

  it.each(
    [
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
    ].map((statement) => [statement, linted(ORDERS, declarations + statement)] as const),
  )('a table of the core is not written beside it: %s', (_statement, broken) => {
    expect(broken()).toContain('tradepost(core-writes-alone)');
  });

  it.each(
    [
      'export const found = await orders.find();',
      "export const found = await orders.createQueryBuilder('o').getMany();",
      'await candles.save({});',
      'export const seen = new Set<OrderEntity>(); seen.delete(order);',
    ].map((statement) => [statement, linted(ORDERS, declarations + statement)] as const),
  )('reading it, and writing what a group owns, is fine: %s', (_statement, broken) => {
    expect(broken()).not.toContain('tradepost(core-writes-alone)');
  });

  const importing = (name: string): (() => readonly string[]) =>
    linted('src/modules/pets', `export { ${name} } from '@nestjs/swagger';`);
  const ofErrors = importing('ApiNotFoundResponse');
  const ofSuccess = importing('ApiOkResponse');
  it('errors of routes are described from the table of codes', () => {
    expect(ofErrors()).toContain('eslint(no-restricted-imports)');
    expect(ofSuccess()).not.toContain('eslint(no-restricted-imports)');
  });

  it.each(
    [
      ['src/kit', 'export class WalletKeys {}'],
      ['src/kit', "export const sql = 'SELECT FROM payouts';"],
      ['src/kit', "export const scope = 'markets:trade';"],
      ['src/kit', "export const route = '/markets/BTC-USD';"],
      ['src/kit/pets', 'export const one = 1;'],
      ['src/domain', 'export const KYC_LEVEL_MAX = 9;'],
    ].map(([folder = '', code = '']) => [folder, code, linted(folder, code)] as const),
  )('what stands below the groups names none: %s: %s', (_folder, _code, broken) => {
    expect(broken()).toContain('tradepost(kit-names-no-group)');
  });

  it.each(
    [
      ['src/kit', 'export class Markets { readonly proof = 1; }'],
      ['src/kit', "export const words = 'markets and proof of them';"],
      ['src/domain/engine', 'export const KYC_LEVEL_MAX = 9;'],
      ['src/modules/pets', "export const table = 'pets';"],
    ].map(([folder = '', code = '']) => [folder, code, linted(folder, code)] as const),
  )(
    'words that are common, of the journal or of a group itself are fine: %s: %s',
    (_folder, _code, broken) => {
      expect(broken()).not.toContain('tradepost(kit-names-no-group)');
    },
  );

  const ofInside = linted('plugins/acme', "import '../../src/core/core.service.js';");
  const ofPublic = linted('plugins/acme', "import '../../src/index.js';");
  it('plugins import the public interface alone', () => {
    expect(ofInside()).toContain('eslint(no-restricted-imports)');
    expect(ofPublic()).not.toContain('eslint(no-restricted-imports)');
  });

  it('knows every entity whose table the core made', async () => {
    const core = await readFile('src/core/migrations/1780000000110-ledger-baseline.ts', 'utf8');
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

  it.each(
    [
      ['src/core', 'export const port = process.env.PORT;', 'eslint(no-restricted-properties)'],
      ['src/core', "console.log('started');", 'eslint(no-console)'],
      ['src/core', 'export function read(value: any): void {}', 'typescript(no-explicit-any)'],
      ['src/core', 'Promise.resolve();', 'typescript(no-floating-promises)'],
      [
        'src/core',
        "import { Client } from 'pg'; export type C = Client;",
        'typescript(consistent-type-imports)',
      ],
      ['src/domain', 'export const now = Date.now();', 'eslint(no-restricted-globals)'],
      ['src/domain', 'export const chance = Math.random();', 'eslint(no-restricted-properties)'],
      ['src/domain', 'setTimeout(() => undefined, 1);', 'eslint(no-restricted-globals)'],
      [
        'src/core',
        "import type { Pool } from 'pg'; declare const pool: Pool; export const client = await pool.connect();",
        'tradepost(connections-are-known)',
      ],
      [
        'src/core',
        "import pg from 'pg'; export const client = new pg.Client('postgres://db/x');",
        'tradepost(connections-are-known)',
      ],
      ['src/core', 'export const atMs = Date.now();', 'tradepost(clocks-are-known)'],
      ['src/modules/proof', 'export const at = new Date();', 'tradepost(clocks-are-known)'],
      [
        'src/core',
        'const waiting: (() => void)[] = []; await new Promise<void>((resolve) => waiting.push(resolve));',
        'tradepost(turns-between-owners)',
      ],
      [
        'src/modules/pets',
        'const waiting: object[] = []; await new Promise((resolve) => { waiting.push({ resolve }); });',
        'tradepost(turns-between-owners)',
      ],
      [
        'src/kit',
        "import pLimit from 'p-limit'; export const limit = pLimit(1);",
        'tradepost(turns-between-owners)',
      ],
      ['src/core', "export const port: number = '1';", 'typescript(TS2322)'],
    ].map(([folder = '', code = '', rule = '']) => [folder, code, rule, linted(folder, code)] as const),
  )('%s: %s breaks %s', (_folder, _code, rule, broken) => {
    expect(broken()).toContain(rule);
  });

  const decorated = linted(
    'src/core',
    `
      import { Injectable } from '@nestjs/common';
      import { CoreService } from './core.service.js';
      @Injectable()
      export class Caller { constructor(private readonly core: CoreService) {} started = (): unknown => this.core; }
    `,
  );
  it('leaves the imports of decorated files alone, which Nest reads at run time', () => {
    expect(decorated()).toEqual([]);
  });

  const environment = lintedFile('src/kit/config/config.ts', 'export const env = process.env;');
  it('lets one file read the environment', () => {
    expect(environment()).toEqual([]);
  });
});
