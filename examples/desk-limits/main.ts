import { start } from '../../src/index.js';
import { deskLimits } from './desk-limits.plugin.js';

await start({ plugins: [deskLimits] });
