/** The service as it is, with the bench's own routes and the dialects of plugins beside its own; says that it listens as the service does. */
import type { Application } from 'express';
import BinanceSpotPlugin from '../plugins/binance-spot/index.js';
import FixPlugin from '../plugins/fix/index.js';
import { createApp } from '../src/create-app.js';
import { loadConfig } from '../src/kit/config/config.js';
import { BenchPlugin } from './server/bench-plugin.js';
import { placeBeside } from './server/neighbours.js';

const service = await createApp({
  config: loadConfig(),
  plugins: [BenchPlugin, BinanceSpotPlugin, FixPlugin],
});
placeBeside(service.nest.getHttpAdapter().getInstance() as Application, '/bench/echo', '/orders');
const url = await service.listen();
await service.prepareDocuments();
process.stdout.write(`Tradepost serves ${url}\n`);
process.once('SIGTERM', () => void service.close().then(() => process.exit(0)));
