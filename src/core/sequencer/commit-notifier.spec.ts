import { describe, expect, it } from 'vitest';
import { OWNER_TURN_MAX } from '../../kit/turns/loop-turns.js';
import type { Owner } from '../../kit/turns/owner.js';
import { CommitListeners } from '../view/commit-listeners.js';
import type { PreparedBatch } from '../term/prepared-batch.js';
import { CommitNotifier } from './commit-notifier.js';
import type { Waiting } from './work-queue.js';

describe('CommitNotifier', () => {
  it('answers an owner who has one command before the last of another who has hundreds', async () => {
    const ANSWERS = 5 * OWNER_TURN_MAX;
    const answered: string[] = [];
    const waiting = (owner: Owner) =>
      ({ owner, resolve: (answer: unknown) => answered.push(answer as string) }) as unknown as Waiting;
    const batch = [...Array.from({ length: ANSWERS }, () => waiting(['user:1'])), waiting(['user:2'])];
    const answers = [...Array.from({ length: ANSWERS }, (_, i) => `of one: ${i}`), 'of the other'];
    const notifier = new CommitNotifier(new CommitListeners(() => undefined));
    notifier.notify(batch, { notification: null, answers } as unknown as PreparedBatch);
    while (!answered.includes('of the other')) await new Promise(setImmediate);
    expect(answered).toHaveLength(OWNER_TURN_MAX + 1);
    while (answered.length < ANSWERS + 1) await new Promise(setImmediate);
    expect(answered.filter((answer) => answer !== 'of the other')).toEqual(answers.slice(0, ANSWERS));
  });
});
