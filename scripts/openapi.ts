/**
 * Writes `openapi.json` from the routes as they are built; with `--check` it changes nothing and fails
 * where the committed file says otherwise. Needs neither a database nor a port.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { describeApp } from '../src/describe-app.js';
import { loadConfig } from '../src/kit/config/config.js';

const FILE = 'openapi.json';

// An empty environment: the document must not depend on the machine that writes it.
const document = await describeApp({ config: loadConfig({}) });
const text = `${JSON.stringify(document, null, 2)}\n`;

if (!process.argv.includes('--check')) {
  await writeFile(FILE, text);
  console.log(`${FILE}: ${Object.keys(document.paths).length} paths`);
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) {
  console.error(`${FILE} is not what the routes say; run "npm run openapi" and commit it.`);
  process.exitCode = 1;
}
