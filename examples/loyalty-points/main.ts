import { start } from '../../src/index.js';
import LoyaltyPointsPlugin from './loyalty-points.plugin.js';

await start({ plugins: [LoyaltyPointsPlugin] });
