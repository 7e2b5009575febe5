import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult, type IConfiguration } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const load = createRequire(import.meta.url);
const config = load('../../.dependency-cruiser.cjs') as IConfiguration;
const folderConfig = load('../../.dependency-cruiser.folders.cjs') as IConfiguration;

/** Small trees with one fault each, or none. */
describe('the floors', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tradepost-floors-'));
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const faults: [rule: string, from: string, to: string][] = [
    ['floor-0-imports-downward', 'src/domain/engine/a.ts', 'src/kit/http/b.ts'],
    ['floor-0-imports-downward', 'src/domain/a.ts', 'src/version.ts'],
    ['floor-1-imports-downward', 'src/kit/a.ts', 'src/core/b.ts'],
    ['floor-2-imports-downward', 'src/core/a.ts', 'src/modules/users/b.ts'],
    ['floor-2-imports-downward', 'src/core/a.ts', 'src/former-migrations.ts'],
    ['floor-3-imports-downward', 'src/modules/webhooks/a.ts', 'src/modules/users/b.ts'],
    ['floor-4-imports-downward', 'src/modules/users/a.ts', 'src/modules/accounts/b.ts'],
    ['floor-5-imports-downward', 'src/modules/accounts/a.ts', 'src/modules/auth/b.ts'],
    ['floor-6-imports-downward', 'src/modules/auth/a.ts', 'src/modules/markets/b.ts'],
    ['floor-7-imports-downward', 'src/modules/limits/a.ts', 'src/modules/markets/b.ts'],
    ['floor-8-imports-downward', 'src/modules/markets/a.ts', 'src/modules/exchange/b.ts'],
    ['floor-9-imports-downward', 'src/modules/exchange/a.ts', 'src/modules/admin/b.ts'],
    ['floor-11-imports-downward', 'src/modules/admin/a.ts', 'src/app.module.ts'],
    ['floor-11-imports-downward', 'src/modules/admin/a.ts', 'src/demo/b.ts'],
    ['markets-leaves-its-neighbours-alone', 'src/modules/markets/a.ts', 'src/modules/pets/b.ts'],
    ['banking-leaves-its-neighbours-alone', 'src/modules/banking/a.ts', 'src/modules/store/b.ts'],
    ['modules-have-a-floor', 'src/modules/novelties/a.ts', 'src/core/b.ts'],
    ['core/journal-imports-downward', 'src/core/journal/a.ts', 'src/core/term/b.ts'],
    ['core/journal-imports-downward', 'src/core/journal/a.ts', 'src/core/core.service.ts'],
    ['auth/tokens-imports-downward', 'src/modules/auth/tokens/a.ts', 'src/modules/auth/sessions/b.ts'],
    ['markets/orders-imports-downward', 'src/modules/markets/orders/a.ts', 'src/modules/markets/b.ts'],
    ['markets/names-imports-downward', 'src/modules/markets/names/ids.ts', 'src/modules/markets/fees/b.ts'],
    ['core-rooms-have-a-place', 'src/core/attic/a.ts', 'src/domain/b.ts'],
    ['core-is-in-rooms', 'src/core/a.ts', 'src/domain/b.ts'],
    ['domain-is-pure', 'src/domain/a.ts', 'node:fs'],
    ['domain-is-pure', 'src/domain/a.ts', '@nestjs/common'],
    ['core-knows-no-protocol', 'src/core/a.ts', 'src/kit/http/b.ts'],
    ['core-knows-no-protocol', 'src/core/a.ts', 'express'],
    ['core-knows-no-protocol', 'src/core/a.ts', '@nestjs/swagger'],
    ['service-stands-alone', 'src/core/a.ts', 'test/support/b.ts'],
    ['service-stands-alone', 'src/a.ts', 'bench/b.ts'],
    ['service-stands-alone', 'src/a.ts', 'scripts/b.ts'],
    ['console-is-a-client', 'console/src/a.ts', 'src/domain/b.ts'],
    ['console-is-a-client', 'console/src/a.ts', 'test/support/b.ts'],
    ['nobody-imports-the-console', 'src/a.ts', 'console/src/b.ts'],
    ['migrations-are-history', 'src/core/migrations/1-a.ts', 'src/domain/b.ts'],
    ['traces-are-loaded-late', 'src/kit/tracing/a.ts', 'src/kit/tracing/otlp-tracing.ts'],
    ['traces-are-loaded-late', 'src/core/a.ts', '@opentelemetry/api'],
    ['imports-resolve', 'src/a.ts', './nowhere.js'],
  ];
  it.each(faults)('%s: %s may not import %s', async (rule, from, to) => {
    expect(await violationsOf({ [from]: importOf(from, to), ...(isFile(to) && { [to]: '' }) })).toContain(
      rule,
    );
  });

  it('no-circles: three files that need each other', async () => {
    const house = {
      'src/kit/a.ts': importOf('src/kit/a.ts', 'src/kit/b.ts'),
      'src/kit/b.ts': importOf('src/kit/b.ts', 'src/kit/c.ts'),
      'src/kit/c.ts': importOf('src/kit/c.ts', 'src/kit/a.ts'),
    };
    expect(new Set(await violationsOf(house))).toEqual(new Set(['no-circles']));
  });

  it('sees an import of types alone', async () => {
    const house = {
      'src/domain/a.ts': `import type { B } from '../core/b.js';\nexport type A = B;`,
      'src/core/b.ts': '',
    };
    expect(await violationsOf(house)).toContain('floor-0-imports-downward');
  });

  const allowed: [from: string, to: string][] = [
    ['src/domain/a.ts', 'node:crypto'],
    ['src/core/core.service.ts', 'src/domain/b.ts'],
    ['src/core/term/a.ts', 'src/core/journal/b.ts'],
    ['src/modules/markets/orders/a.ts', 'src/modules/markets/names/ids.ts'],
    ['src/modules/exchange/a.ts', 'src/modules/markets/b.ts'],
    ['src/modules/admin/a.ts', 'src/modules/users/b.ts'],
    ['src/demo/a.ts', 'src/modules/auth/b.ts'],
    ['src/domain/a.spec.ts', 'test/support/b.ts'],
  ];
  it.each(allowed)('%s may import %s', async (from, to) => {
    expect(await violationsOf({ [from]: importOf(from, to), ...(isFile(to) && { [to]: '' }) })).toEqual([]);
  });

  const pairs: [verdict: string, circle: boolean, there: [string, string], back: [string, string]][] = [
    ['circle', true, ['src/domain/a/1.ts', 'src/domain/b/1.ts'], ['src/domain/b/2.ts', 'src/domain/a/2.ts']],
    ['way', false, ['src/domain/a/1.ts', 'src/domain/b/1.ts'], ['src/domain/a/2.ts', 'src/domain/b/2.ts']],
    [
      'part',
      false,
      ['src/domain/a/1.ts', 'src/domain/a/b/1.ts'],
      ['src/domain/a/b/2.ts', 'src/domain/a/2.ts'],
    ],
    [
      'assembly',
      false,
      ['src/core/a/1.module.ts', 'src/core/b/1.ts'],
      ['src/core/b/2.ts', 'src/core/a/2.ts'],
    ],
    [
      'spec',
      false,
      ['src/domain/a/1.spec.ts', 'src/domain/b/1.ts'],
      ['src/domain/b/2.ts', 'src/domain/a/2.ts'],
    ],
  ];
  it.each(pairs)('no-circles-of-folders: a %s (%s)', async (_verdict, isCircle, there, back) => {
    const house = Object.fromEntries(
      [there, back].flatMap(([from, to]) => [
        [from, importOf(from, to)],
        [to, ''],
      ]),
    );
    const broken = await violationsOf(house, folderConfig);
    expect(new Set(broken)).toEqual(new Set(isCircle ? ['no-circles-of-folders'] : []));
  });

  let houses = 0;
  /** The names of the rules that a tree of these files breaks. */
  async function violationsOf(
    files: Readonly<Record<string, string>>,
    { forbidden = [], options: { tsConfig: _none, ...options } = {} }: IConfiguration = config,
  ): Promise<string[]> {
    houses += 1;
    const baseDir = join(root, String(houses));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(baseDir, path)), { recursive: true });
      await writeFile(join(baseDir, path), text);
    }
    const roots = [...new Set(Object.keys(files).map((path) => path.split('/')[0]!))].filter((name) =>
      CRUISED.includes(name),
    );
    const { output } = await cruise(roots, {
      ...options,
      baseDir,
      validate: true,
      ruleSet: { forbidden },
    });
    return (output as ICruiseResult).summary.violations.map((violation) => violation.rule.name);
  }
});

/** What `npm run check:floors` looks at. */
const CRUISED = ['src', 'console'];

function isFile(target: string): boolean {
  return target.endsWith('.ts');
}

function importOf(from: string, target: string): string {
  if (!isFile(target)) return `import '${target}';`;
  const up = '../'.repeat(from.split('/').length - 1);
  return `import '${up}${target.replace(/[.]ts$/, '.js')}';`;
}
