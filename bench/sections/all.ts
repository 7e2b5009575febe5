import type { Section } from '../support/context.js';
import { benchCluster } from './cluster.js';
import { benchConsole } from './console.js';
import { benchExchange } from './exchange.js';
import { benchExplorer } from './explorer.js';
import { benchFanOut } from './fan-out.js';
import { benchDepth, benchHistory, benchMarkets } from './growth.js';
import { benchHostile } from './hostile.js';
import { benchLiabilities } from './liabilities.js';
import { benchMatchingAlone } from './matching.js';
import {
  benchBatches,
  benchFixOrders,
  benchOrders,
  benchSignedOrders,
  benchSocketOrders,
  benchTypeOrm,
} from './orders.js';
import { benchPnl } from './pnl.js';
import { benchRecovery } from './recovery.js';
import { benchSustained } from './sustained.js';

/** In this order: what is promised first, and those that fill the database last. */
export const SECTIONS: Readonly<Record<string, Section>> = {
  sustained: { run: benchSustained, plannedSeconds: 340, isPlain: true },
  orders: { run: benchOrders, plannedSeconds: 80, isPlain: true },
  batch: { run: benchBatches, plannedSeconds: 100, isPlain: true },
  sockets: { run: benchSocketOrders, plannedSeconds: 35, isPlain: true },
  exchange: { run: benchExchange, plannedSeconds: 75, isPlain: true },
  signed: { run: benchSignedOrders, plannedSeconds: 35, isPlain: true },
  fix: { run: benchFixOrders, plannedSeconds: 40, isPlain: true },
  typeorm: { run: benchTypeOrm, plannedSeconds: 35, isPlain: true },
  matching: { run: benchMatchingAlone, plannedSeconds: 25 },
  fanout: { run: benchFanOut, plannedSeconds: 60 },
  markets: { run: benchMarkets, plannedSeconds: 45 },
  depth: { run: benchDepth, plannedSeconds: 40 },
  recovery: { run: benchRecovery, plannedSeconds: 60 },
  console: { run: benchConsole, plannedSeconds: 70 },
  explorer: { run: benchExplorer, plannedSeconds: 40 },
  cluster: { run: benchCluster, plannedSeconds: 190 },
  hostile: {
    run: (context) => benchHostile(context, context.sizes),
    plannedSeconds: 80,
  },
  liabilities: { run: benchLiabilities, plannedSeconds: 50 },
  pnl: { run: benchPnl, plannedSeconds: 170 },
  history: { run: benchHistory, plannedSeconds: 120 },
};
