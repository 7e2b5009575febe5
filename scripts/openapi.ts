/**
 * Writes `openapi.json`, and the table of `docs/roles.md`, from the routes as they are built; with `--check` it changes
 * nothing and fails where a committed file says otherwise. Needs neither a database nor a port.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { describeApp } from '../src/describe-app.js';
import { rolesTableOf } from './support/roles-table.js';
import { loadConfig } from '../src/kit/config/config.js';

const FILE = 'openapi.json';
const ROLES_FILE = 'docs/roles.md';
const ROLES_HEADING = '## The matrix\n\n';

// An empty environment: the document must not depend on the machine that writes it.
const document = await describeApp({ config: loadConfig({}) });
const [beforeMatrix = ''] = (await readFile(ROLES_FILE, 'utf8')).split(ROLES_HEADING);
const files = {
  [FILE]: `${JSON.stringify(document, null, 2)}\n`,
  [ROLES_FILE]: `${beforeMatrix}${ROLES_HEADING}${rolesTableOf(document)}`,
};

for (const [file, text] of Object.entries(files)) {
  if (!process.argv.includes('--check')) await writeFile(file, text);
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(`${file} is not what the routes say; run "npm run openapi" and commit it.`);
    process.exitCode = 1;
  }
}
console.log(`${Object.keys(document.paths).length} paths`);
