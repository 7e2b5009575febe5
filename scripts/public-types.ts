/**
 * Writes `public-types.txt`: the types of what the package exports. Whoever reviews a change sees there what it does to plugins,
 * and `test/tooling/public-types.spec.ts` says whether that takes a major version.
 */
import { writeFile } from 'node:fs/promises';
import { publicTypes } from './support/public-types.js';

await writeFile('public-types.txt', publicTypes());
