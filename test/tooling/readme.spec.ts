import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/platform/config/config.js';

const readme = await readFile('README.md', 'utf8');

describe('README.md', () => {
  it('lists the settings as the service reads them', () => {
    const rows = SETTINGS.map(
      ({ name, default: fallback, meaning }) => `| \`${name}\` | ${fallback} | ${meaning} |`,
    );
    const table = ['| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
    expect(sectionOf('Settings')).toContain(table);
  });

  it('names only scripts that there are', async () => {
    const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: object };
    const named = [...readme.matchAll(/npm (?:run ([a-z:]+)|(start|test))/g)].map(
      ([, run, name]) => run ?? name ?? '',
    );
    expect(named.length).toBeGreaterThan(5);
    for (const name of named) expect(scripts).toHaveProperty([name]);
  });

  it('points only to files that there are', () => {
    const links = [...readme.matchAll(/\]\((?!http)([^)#]+)\)/g)].map(([, path]) => path ?? '');
    const folders = [...readme.matchAll(/`((?:src|test|examples|bench|scripts)[/\w-]*(?:\.\w+)?)`/g)].map(
      ([, path]) => path ?? '',
    );
    for (const path of [...links, ...folders]) expect(existsSync(path), path).toBe(true);
  });

  it('starts with the two commands', () => {
    expect(readme).toMatch(/^# Tradepost\n\n```sh\nnpm ci\nnpm start\n```\n/);
  });
});

function sectionOf(title: string): string {
  return readme.split(/^## /m).find((section) => section.startsWith(title)) ?? '';
}
