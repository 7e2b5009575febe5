/**
 * Installs the packages of the given folders, or of all in `test/tools`, where they are not yet: those that `npm ci`
 * leaves out. Tests that use them do the same for the one folder that they need.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureTools } from './support/tools.ts';

const TOOLS = 'test/tools';

const named = process.argv.slice(2);
const folders = named.length > 0 ? named : readdirSync(TOOLS).map((name) => join(TOOLS, name));
// One after the other: npm itself works at many packages at once.
for (const folder of folders) await ensureTools(folder);
