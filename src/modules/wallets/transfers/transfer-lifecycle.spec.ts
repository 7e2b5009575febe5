import { describe, expect, it } from 'vitest';
import { TRANSFER_TERMS } from './transfer-lifecycle.service.js';
import { OPEN_STATUSES, TRANSFER_STATUSES, type TransferStatus } from './wallet-transfer.entity.js';

const { steps } = TRANSFER_TERMS;
const after = (status: TransferStatus) => Object.keys(steps[status]) as TransferStatus[];

/** What happens to the held money on every way from a state to an end; a reorganisation is walked once. */
function waysFrom(status: TransferStatus, walked: readonly string[] = []): string[] {
  const next = after(status).filter((to) => !walked.includes(`${status} ${to}`));
  if (next.length === 0)
    return [
      walked
        .map((step) => moneyOf(step))
        .join(' ')
        .trim(),
    ];
  return next.flatMap((to) => waysFrom(to, [...walked, `${status} ${to}`]));
}

function moneyOf(step: string): string {
  const [from, to] = step.split(' ') as [TransferStatus, TransferStatus];
  const due = steps[from][to]!;
  return due === 'keep' ? '' : due;
}

describe('the way of a transfer over a chain', () => {
  it('ends with the money paid or given back, once', () => {
    expect(new Set(waysFrom('pending_approval'))).toEqual(new Set(['pay', 'release']));
  });

  it('goes on from every open state, and from none that is an end', () => {
    const open: readonly string[] = OPEN_STATUSES;
    expect(TRANSFER_STATUSES.filter((status) => after(status).length > 0)).toEqual(open);
  });

  it('cannot be taken back once it was sent, nor sent before it was approved', () => {
    for (const status of ['broadcasting', 'confirming'] as const) {
      expect(after(status)).not.toContain('cancelled');
      expect(after(status)).not.toContain('rejected');
    }
    expect(after('pending_approval')).not.toContain('broadcasting');
  });
});
