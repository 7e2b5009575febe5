import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';

const files = new Map(
  globSync('src/**/*.controller.ts').map((path) => [basename(path, '.controller.ts'), path]),
);

/**
 * The rule of docs/architecture.md: of the names that are words of the path in a row, the one that ends last in it; of
 * those the longest.
 */
function controllerOf(path: string): string | undefined {
  const words = path.split('/').filter((part) => part !== '' && !part.startsWith('{'));
  const names = words.map((word) => word.replace(/^[.]/, '').replace(/[.].*/, ''));
  for (let end = names.length; end > 0; end--)
    for (let begin = 0; begin < end; begin++) {
      const file = files.get(names.slice(begin, end).join('-'));
      if (file !== undefined) return file;
    }
  return undefined;
}

/** `GET /markets/{market_id}`, of each route that a controller's file declares. */
function routesIn(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const [, prefix = ''] = /@Controller\((?:'([^']*)')?\)/.exec(text)!;
  return [...text.matchAll(/@(Get|Post|Put|Patch|Delete)\((?:'([^']*)')?\)/g)].map(
    ([, method, rest = '']) => {
      const path = [prefix, rest].filter((part) => part !== '').join('/');
      return `${method!.toUpperCase()} /${path.replace(/:(\w+)/g, '{$1}')}`;
    },
  );
}

describe('controllers', () => {
  const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const operations = Object.entries(paths)
    .filter(([path]) => !path.startsWith('/demo/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method, path })));

  it('has the route of each documented operation in the file that its path names', () => {
    expect(operations.length).toBeGreaterThan(250);
    const astray = operations
      .map(({ method, path }) => ({ route: `${method.toUpperCase()} ${path}`, file: controllerOf(path) }))
      .filter(({ route, file }) => file === undefined || !routesIn(file).includes(route));
    expect(astray).toEqual([]);
  });

  it('has no two files of one name', () => {
    expect(files.size).toBe(globSync('src/**/*.controller.ts').length);
  });
});
