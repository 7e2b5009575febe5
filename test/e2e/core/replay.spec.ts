import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFlow } from '../../../scripts/replay/read-flow.js';
import type { RecordedFlow } from '../../../scripts/replay/recorded-flow.js';
import { replayFlow, type ReplayReport } from '../../../scripts/replay/replay-flow.js';
import { synthesizeFlow } from '../../../scripts/replay/synthetic-flow.js';
import { ApiClient } from '../../../scripts/support/api-client.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { isLongRun } from '../../support/rounds.js';

/** The recording of Bitstamp's BTC/USD market of 1 May 2015, on machines that have it. */
const RECORDING = process.env['REPLAY_FILE'];
const RECORDING_TIMEOUT_MS = 1_800_000;
const BEGINNING_EVENTS = 3_000;

const CREDENTIALS = {
  buyer: 'demo:demo-secret',
  seller: 'maker:maker-secret',
  operator: 'admin:admin-secret',
};

describe('replaying an order flow through the HTTP API', () => {
  let app: TestApp;
  let client: ApiClient;

  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'off' });
    client = new ApiClient(app.url);
  });
  afterAll(async () => {
    client.close();
    await app.close();
  });

  const replay = (flow: RecordedFlow): Promise<ReplayReport> =>
    replayFlow(flow, { client, credentials: CREDENTIALS });

  it('runs a synthetic flow, whose books balance', async () => {
    const report = await replay(synthesizeFlow({ seed: 7, orders: 400 }));

    expect(report).toMatchObject({
      orders: 400,
      refusals: new Map(),
      ledger: { balanced: true, problems: [] },
    });
    expect(report.tradesMade).toBeGreaterThan(50);
  });

  it('makes the same trades of the same flow, in another market', async () => {
    const flow = synthesizeFlow({ seed: 8, orders: 200 });
    const [first, second] = [await replay(flow), await replay(flow)];

    expect(second.marketId).not.toBe(first.marketId);
    expect(second.tradesMade).toBe(first.tradesMade);
    expect(second.cancelsOfFinished).toBe(first.cancelsOfFinished);
  });

  it.skipIf(RECORDING === undefined)('turns the beginning of a real day into its own trades', async () => {
    const flow = await readFlow(RECORDING!);
    const report = await replay({ ...flow, events: flow.events.slice(0, BEGINNING_EVENTS) });

    expect(report).toMatchObject({ refusals: new Map(), ledger: { balanced: true, problems: [] } });
    expect(report.trades.recorded).toBe(85);
    expect(report.trades.reproduced).toBeGreaterThanOrEqual(55);
    expect(report.topOfBook.recorded).toBe(234);
    expect(report.topOfBook.reproduced).toBeGreaterThanOrEqual(190);
  });

  it.runIf(isLongRun && RECORDING !== undefined)(
    'turns five hours of a real exchange into its own trades',
    async () => {
      const report = await replay(await readFlow(RECORDING!));

      expect(report.ledger).toEqual({ ...report.ledger, balanced: true, problems: [] });
      expect(report.refusals).toEqual(new Map());
      expect(report.trades.recorded).toBe(575);
      expect(report.trades.reproduced).toBeGreaterThanOrEqual(509);
      expect(report.topOfBook.recorded).toBe(5_011);
      expect(report.topOfBook.reproduced).toBeGreaterThanOrEqual(4_971);
    },
    RECORDING_TIMEOUT_MS,
  );
});
