import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { ALL_SETTINGS } from '../support/all-settings.js';
import { WEIGHT_PER_MINUTE } from '../../plugins/binance-spot/settings.js';
import * as fixSettings from '../../plugins/fix/settings.js';
import { type Document, readDocument, readDocuments } from '../support/documents.js';

const documents = await readDocuments();
const readme = readDocument('README.md');
const { scripts } = readJson('package.json') as { scripts: Record<string, string> };
/** Of the packages here: npm links no program that is not built yet. */
const ownPrograms = ['package.json', 'packages/verify/package.json'].flatMap((path) =>
  Object.keys((readJson(path) as { bin: Record<string, string> }).bin),
);
const openApi = readJson('openapi.json') as OpenAPIObject;

const SETTING_ROWS = ALL_SETTINGS.map(
  ({ name, default: fallback, meaning }) => `| \`${name}\` | ${fallback} | ${meaning} |`,
);
const SETTING_HEAD = '| Setting | Default | Meaning |\n|---|---|---|';
const README_SETTINGS = 10;
const README_LINES_MAX = 150;

describe('README.md', () => {
  it('starts with the two commands, and stays short', () => {
    expect(readme.text).toMatch(/^# Tradepost\n\n```sh\nnpm ci\nnpm start\n```\n/);
    expect(readme.text.split('\n').length).toBeLessThanOrEqual(README_LINES_MAX);
  });

  it('has ten settings, as the service reads them', () => {
    const rows = readme.text.split('\n').filter((line) => /^\| `[A-Z_]+` \|/.test(line));
    expect(rows).toHaveLength(README_SETTINGS);
    expect(SETTING_ROWS).toEqual(expect.arrayContaining(rows));
  });

  it('leads to every other document', () => {
    const linked = readme.links.map(({ path }) => path);
    const read = documents.map(({ path }) => path).filter((path) => !path.startsWith('docs/decisions/0'));
    expect(linked).toEqual(expect.arrayContaining(read.filter((path) => path !== 'README.md')));
  });
});

describe('docs/settings.md', () => {
  it('lists all settings, as the service reads them', () => {
    const [, table] = readDocument('docs/settings.md').text.split(`${SETTING_HEAD}\n`);
    expect(table!.trimEnd().split('\n').toSorted()).toEqual(SETTING_ROWS.toSorted());
  });
});

describe('docs/extending.md', () => {
  it('shows the examples as they are', () => {
    const blocks = readDocument('docs/extending.md').fences.filter(({ language }) => language === 'ts');
    const files = [
      'desk-limits/desk-limits.plugin.ts',
      'desk-limits/main.ts',
      'house-rules/house-rules.plugin.ts',
      'group-fees/group-fees.plugin.ts',
      'desk-limits/desk-limits.ts',
      'desk-limits/desk-limit-check.ts',
      'no-casino/no-casino.plugin.ts',
      'order-desks/order-desks.plugin.ts',
      'loyalty-points/points.consumer.ts',
    ].map((name) => readFileSync(join('examples', name), 'utf8'));
    expect(blocks.map(({ code }) => code)).toEqual(files);
  });
});

describe('docs/decisions', () => {
  it('lists its records, each with what it takes to judge it', async () => {
    const records = (await readdir('docs/decisions')).filter((name) => /^\d{4}-/.test(name)).sort();
    const listed = readDocument('docs/decisions/README.md').links.map(({ path }) => path);
    expect(listed).toEqual(records.map((name) => join('docs/decisions', name)));
    for (const path of listed) {
      const { anchors } = readDocument(path);
      expect(anchors.slice(1), path).toEqual(['context', 'decision', 'consequences', 'considered']);
    }
  });
});

describe.each(documents.map((document) => [document.path, document] as const))('%s', (_path, document) => {
  it('points only to files and headings that there are', () => {
    for (const { path, anchor } of document.links) {
      expect(existsSync(path), path).toBe(true);
      if (anchor !== '') expect(readDocument(path).anchors, path).toContain(anchor);
    }
    for (const code of document.codes) {
      if (
        /^(?:\.ci|src|test|examples|plugins|templates|bench|scripts|docs|deploy|lint)\/[\w./-]*$/.test(code)
      ) {
        expect(existsSync(code), code).toBe(true);
      }
    }
  });

  it('names only settings that there are', () => {
    const variables = document.codes.flatMap(
      (code) => /^([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=|$)/.exec(code)?.[1] ?? [],
    );
    const inShell = commandsOf(document).flatMap((line) =>
      [...line.matchAll(/(?:^|\s)(?:-e )?([A-Z]+(?:_[A-Z]+)+)=/g)].map(([, name]) => name!),
    );
    for (const name of [...variables, ...inShell]) {
      const isOthers = document.path === 'docs/compatibility.md' && OF_DIALECTS.has(name);
      expect(isSetting(name) || NO_SETTINGS.has(name) || isOthers, name).toBe(true);
    }
  });

  it('has only npm scripts, options and programs that there are', () => {
    for (const command of commandsOf(document)) {
      for (const [, name] of command.matchAll(/npm run (?:--\w+ )?([\w:]+)/g))
        expect(scripts).toHaveProperty([name!]);
      for (const [, name] of command.matchAll(/npm (?!run )(\w+)/g)) expect(NPM_COMMANDS).toContain(name);
      for (const [, name] of command.matchAll(/npx ([\w-]+)/g)) {
        expect(existsSync(join('node_modules/.bin', name!)) || ownPrograms.includes(name!), command).toBe(
          true,
        );
      }
      for (const [, name, args] of command.matchAll(/npm run ([\w:]+) --(?: ([^|&;#]*))?/g)) {
        for (const option of optionsIn(args ?? '')) expect(optionsOf(name!), command).toContain(option);
      }
      for (const [, name, args] of command.matchAll(/npx tradepost (\w+)((?: [^|&;#]*)?)/g)) {
        const options = [...optionsOf(name!), ...CUSTOMERS_OPTIONS];
        for (const option of optionsIn(args!)) expect(options, command).toContain(option);
      }
      for (const [, path] of command.matchAll(/vitest run (\S+)/g))
        expect(existsSync(path!), command).toBe(true);
      for (const [, path] of command.matchAll(/node dist\/(\S+)\.js/g)) {
        expect(existsSync(`${path}.ts`), command).toBe(true);
      }
    }
    for (const code of document.codes.filter((each) => each.startsWith('--'))) {
      for (const option of optionsIn(code)) expect(ALL_OPTIONS, code).toContain(option);
    }
  });

  it('has shell blocks that bash can read, of programs that we know', () => {
    for (const { code } of document.fences.filter(({ language }) => language === 'sh')) {
      expect(spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' }).stderr).toBe('');
      expect(PROGRAMS).toEqual(expect.arrayContaining(programsIn(code)));
    }
  });

  it('calls only routes that there are', () => {
    const called = [...document.codes, ...document.fences.map(({ code }) => code)].flatMap((code) =>
      [...code.matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (…?\/[\w{}./-]*)/g)].map(([, method, path]) => ({
        method: method!.toLowerCase(),
        path: path!,
      })),
    );
    for (const route of [...called, ...commandsOf(document).flatMap(curlsIn)]) {
      expect(isRoute(route.method, route.path), `${route.method} ${route.path}`).toBe(true);
    }
  });

  it('has code that parses', () => {
    for (const { language, code } of document.fences) {
      if (language === 'ts' || language === 'js') {
        const { diagnostics } = ts.transpileModule(code, { reportDiagnostics: true });
        expect(diagnostics?.map(({ messageText }) => messageText)).toEqual([]);
      }
      if (language === 'mermaid') expect(strangeLinesOf(code)).toEqual([]);
    }
  });
});

/** Environment variables and constants of the code that documents name, but that are not settings. */
const NO_SETTINGS = new Set([
  // Tokens of Nest.
  'APP_FILTER',
  'APP_GUARD',
  'APP_INTERCEPTOR',
  'APP_PIPE',
  'SETTLEMENT_FOUR_EYES',
  'POSTGRES_PASSWORD',
  // Of the examples of docs/signing.md.
  'KEY_ID',
  'PUBLIC_KEY',
  // Of the long tests and the bench.
  ...['SIM_SEED', 'SIM_SEEDS', 'ENGINE_COMMANDS', 'CRASH_ROUNDS', 'CLUSTER_KILLS'],
  ...['FUZZ_SEED', 'FUZZ_REQUESTS', 'SOAK_MINUTES'],
  // A suffix of names.
  '_MAX',
]);
/** Words of the dialects that plugins speak. */
const OF_DIALECTS = new Set([
  ...['PRICE_FILTER', 'LOT_SIZE', 'MIN_NOTIONAL', 'LIMIT_MAKER', 'STOP_LOSS', 'STOP_LOSS_LIMIT'],
  ...['TAKE_PROFIT', 'TAKE_PROFIT_LIMIT', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
  ...['STOP_ON_FAILURE', 'ALLOW_FAILURE', 'LIST_SUBSCRIPTIONS', 'GET_PROPERTY', 'SET_PROPERTY'],
]);
/** Settings that come with the plugins of this repository. */
const PLUGIN_SETTINGS = [WEIGHT_PER_MINUTE, ...Object.values(fixSettings)];
const NPM_COMMANDS = ['ci', 'start', 'test', 'install', 'pack'];
/** Programs that documents may assume on a machine, or say where to get. */
const PROGRAMS = [
  ...['npm', 'npx', 'node', 'docker', 'bash'],
  ...[
    'cat',
    'chmod',
    'cp',
    'curl',
    'echo',
    'head',
    'base64',
    'kill',
    'printf',
    'sed',
    'tail',
    'touch',
    'tr',
    'date',
    'token',
  ],
  ...['pg_basebackup', 'pg_ctl', 'pg_verifybackup', 'openssl'],
];
/** Of all commands that call a running service. */
const CUSTOMERS_OPTIONS = globSync('src/commands/customer/*.ts').flatMap(optionsReadBy);
const ALL_OPTIONS = [...Object.keys(scripts).flatMap(optionsOf), ...CUSTOMERS_OPTIONS, 'build', 'loglevel'];

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** The lines of shell blocks, and our own commands within sentences. */
function commandsOf({ fences, codes }: Document): string[] {
  const inBlocks = fences
    .filter(({ language }) => language === 'sh')
    .map(({ code }) => code.replaceAll('\\\n', ' '));
  return [
    ...inBlocks.flatMap((code) => code.split('\n')),
    ...codes.filter((code) => /(?:^|\s)(?:npm|npx) /.test(code)),
  ];
}

function isSetting(name: string): boolean {
  return (
    [...ALL_SETTINGS, ...PLUGIN_SETTINGS].some((setting) => setting.name === name) ||
    /^CHAIN_[A-Z]+_RPC_URL$/.test(name)
  );
}

function optionsIn(args: string): string[] {
  return [...args.matchAll(/(?<=^|[\s[])--([\w-]+)/g)].map(([, option]) => option!);
}

/** The options that a script's source declares. */
function optionsOf(script: string): string[] {
  const text = scripts[script] ?? '';
  const [, command, step] = /node dist\/src\/main\.js (\S+)(?: (\S+))?/.exec(text) ?? [];
  const entry =
    command === undefined
      ? /node dist\/((?:scripts|bench)\/\S+)\.js/.exec(text)?.[1]
      : step === undefined
        ? `src/${command}/command`
        : `src/commands/${command}-${step}`;
  if (entry === undefined) return [];
  return optionsReadBy(`${entry}.ts`);
}

function optionsReadBy(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/'?([\w-]+)'?: \{ type: '(?:string|boolean)'/g)].map(
    ([, option]) => option!,
  );
}

/** The first word of each command, after assignments. */
function programsIn(code: string): string[] {
  const bare = code
    .replaceAll('\\\n', ' ')
    .replace(/(?<=^|\s)#.*$/gm, '')
    .replace(/'[^']*'/g, "''")
    .replace(/"(?:[^"\\$]|\\.|\$(?!\())*"/g, '""');
  return bare
    .split(/\n|\||&&|;|\$\(|\{|\}/)
    .map((command) => command.trim().replace(/^(?:\w+=(?:""|''|[^\s()]*)\s*)+/, ''))
    .map((command) => /^[\w.-]+(?=\s|$)/.exec(command)?.[0] ?? '')
    .filter((word) => word !== '');
}

function curlsIn(command: string): { method: string; path: string }[] {
  return [...command.matchAll(/curl [^|]*?http:\/\/127\.0\.0\.1:3000(\/[^\s"?)]*)([^|]*)/g)].map(
    ([, path, rest]) => ({
      method: / -X (\w+)/.exec(rest!)?.[1]?.toLowerCase() ?? (/ -d /.test(rest!) ? 'post' : 'get'),
      path: path!,
    }),
  );
}

/** `…` stands for the beginning of a path, and a variable or example for a parameter. */
function isRoute(method: string, path: string): boolean {
  const asked = path.replace(/^…/, '').split('/').slice(1);
  return Object.entries(openApi.paths).some(([template, operations]) => {
    const parts = template.split('/').slice(1);
    const compared = path.startsWith('…') ? parts.slice(-asked.length) : parts;
    return (
      method in operations &&
      compared.length === asked.length &&
      compared.every((part, i) => part === asked[i] || (part.startsWith('{') && asked[i] !== ''))
    );
  });
}

/** No dependency parses Mermaid; these diagrams use only the syntax that is checked here. */
function strangeLinesOf(diagram: string): string[] {
  const [kind = '', ...lines] = diagram.trimEnd().split('\n');
  const names = [...diagram.matchAll(/^ {2}(?:participant )?(\w+)(?:\["| as )/gm)].map(([, name]) => name!);
  const isKnown = (...ends: string[]): boolean => ends.every((end) => names.includes(end));
  const isFine = (line: string): boolean => {
    const statement = line.trim();
    if (kind === 'flowchart TB') {
      const chain = statement.split(' --> ');
      return /^\w+\["[^"]+"\]$/.test(statement) || (chain.length > 1 && isKnown(...chain));
    }
    const [, from = '', to = ''] = /^(\w+)-?->>(\w+): [^;#]+$/.exec(statement) ?? [];
    return /^participant \w+ as [\w ]+$|^opt [\w ,]+$|^end$/.test(statement) || isKnown(from, to);
  };
  const strange = lines.filter((line) => !isFine(line));
  const isBalanced = diagram.split(/^ *opt /m).length === diagram.split(/^ *end$/m).length;
  return /^(?:flowchart TB|sequenceDiagram)$/.test(kind) && isBalanced ? strange : [kind, ...strange];
}
