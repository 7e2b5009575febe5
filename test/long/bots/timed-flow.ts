/** Orders and cancels with the moments at which they came, for bots to trade among. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { synthesizeFlow } from '../../../scripts/replay/synthetic-flow.js';

export interface TimedEvent {
  /** Since the beginning. */
  readonly atMs: number;
  readonly kind: 'create' | 'cancel';
  readonly order: {
    readonly id: string;
    readonly side: 'buy' | 'sell';
    readonly price: string;
    readonly size: string;
  };
}

const LINE = /^(\d+) order_(created|deleted) (\{.*\})$/;
const SYNTHETIC_EVERY_MS = 500;

/** A recording of Bitstamp's order stream, or of none a flow that the seed makes. */
export function timedFlow(path: string | undefined, seed: number, durationMs: number): TimedEvent[] {
  const events = path === undefined ? synthetic(seed, durationMs) : recorded(path);
  return events.filter(({ atMs }) => atMs < durationMs);
}

function recorded(path: string): TimedEvent[] {
  let beganMs: number | undefined;
  return gunzipSync(readFileSync(path))
    .toString('utf8')
    .split('\n')
    .flatMap((line): TimedEvent[] => {
      const [, time, kind, json] = LINE.exec(line) ?? [];
      if (json === undefined) return [];
      beganMs ??= Number(time);
      const { id, price, amount, order_type: type } = JSON.parse(json) as Record<string, string | number>;
      const order = {
        id: String(id),
        side: type === 0 ? ('buy' as const) : ('sell' as const),
        price: String(Number(price)),
        size: String(amount).replace(/\.?0+$/, ''),
      };
      return [{ atMs: Number(time) - beganMs, kind: kind === 'created' ? 'create' : 'cancel', order }];
    });
}

function synthetic(seed: number, durationMs: number): TimedEvent[] {
  const { events } = synthesizeFlow({ seed, orders: Math.ceil(durationMs / SYNTHETIC_EVERY_MS) });
  return events.flatMap((event, i) =>
    event.kind === 'create' || event.kind === 'cancel' ? [{ ...event, atMs: i * SYNTHETIC_EVERY_MS }] : [],
  );
}
