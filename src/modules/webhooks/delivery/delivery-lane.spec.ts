import { describe, expect, it } from 'vitest';
import { DeliveryLane, type DueDelivery, HELD_PER_ENDPOINT_MAX, type Target } from './delivery-lane.js';

const TARGET = {} as Target;
const NONE_ENDED = new Set<string>();

const due = (from: number, count: number): DueDelivery[] =>
  Array.from({ length: count }, (_, i) => ({
    deliveryId: String(from + i),
    eventId: '1',
    attempts: 0,
    step: 0,
  }));

/** Begins as many attempts as may run at once. */
function beginAll(lane: DeliveryLane): DueDelivery[] {
  const begun: DueDelivery[] = [];
  while (lane.isReady) begun.push(lane.begin());
  return begun;
}

describe('DeliveryLane', () => {
  it('tries an endpoint that is not known one at a time', () => {
    const lane = new DeliveryLane(TARGET, false);
    lane.add(due(1, 10), NONE_ENDED);
    expect(beginAll(lane)).toHaveLength(1);
    lane.end(false, 15_000);
    expect(beginAll(lane)).toHaveLength(1);
  });

  it('asks more of an endpoint the longer it answers well, up to a limit, and begins anew after a failure', () => {
    const lane = new DeliveryLane(TARGET, true);
    lane.add(due(1, HELD_PER_ENDPOINT_MAX), NONE_ENDED);
    expect(beginAll(lane)).toHaveLength(2);
    for (let i = 0; i < 20; i++) {
      lane.end(true, 10);
      if (lane.isReady) lane.begin();
    }
    lane.add(due(100, HELD_PER_ENDPOINT_MAX), NONE_ENDED);
    beginAll(lane);
    lane.end(true, 10);
    expect(beginAll(lane).length).toBeLessThanOrEqual(1);
    lane.end(false, 10);
    expect(lane.isProven).toBe(false);
    expect(beginAll(lane)).toEqual([]);
  });

  it('does not ask more of one that is slow', () => {
    const lane = new DeliveryLane(TARGET, true);
    lane.add(due(1, 10), NONE_ENDED);
    beginAll(lane);
    lane.end(true, 10_000);
    lane.end(true, 10_000);
    expect(beginAll(lane)).toHaveLength(2);
  });

  it('takes in nothing twice, neither what it holds nor what ended since the table was read', () => {
    const lane = new DeliveryLane(TARGET, true);
    lane.add(due(1, 1), NONE_ENDED);
    const [delivery] = beginAll(lane);
    lane.add(due(1, 1), NONE_ENDED);
    expect(lane.isReady).toBe(false);
    lane.end(true, 10);
    lane.release(delivery!);
    expect(lane.isEmpty).toBe(true);
    lane.add(due(1, 1), new Set(['1']));
    expect(lane.isReady).toBe(false);
    lane.add(due(1, 1), NONE_ENDED);
    expect(lane.isReady).toBe(true);
  });

  it('says when it needs more from the table', () => {
    const lane = new DeliveryLane(TARGET, true);
    lane.add(due(1, HELD_PER_ENDPOINT_MAX - 1), NONE_ENDED);
    expect(lane.isRunningDry).toBe(false);
    lane.add(due(1, HELD_PER_ENDPOINT_MAX), NONE_ENDED);
    expect(lane.isRunningDry).toBe(false);
    while (!lane.isRunningDry) {
      lane.begin();
      lane.end(true, 10);
    }
    lane.clear();
    expect(lane.isReady).toBe(false);
  });
});
