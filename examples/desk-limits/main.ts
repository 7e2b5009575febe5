import { start } from '../../src/index.js';
import DeskLimitsPlugin from './desk-limits.plugin.js';

await start({ plugins: [DeskLimitsPlugin] });
