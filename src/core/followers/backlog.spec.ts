import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Backlog } from './backlog.js';

describe('a backlog', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is as old as the oldest that no step has taken up', async () => {
    const backlog = new Backlog('fills');
    const addAfter = (ms: number): void => {
      vi.advanceTimersByTime(ms);
      backlog.add(undefined);
    };
    expect(backlog.lagMs).toBe(0);
    addAfter(0);
    addAfter(30);
    expect(backlog.lagMs).toBe(30);
    await backlog.step(() => {
      addAfter(10);
      addAfter(10);
      expect(backlog.lagMs).toBe(50);
      return Promise.resolve(true);
    });
    expect(backlog.lagMs).toBe(10);

    // A step that fails leaves all as it was, and so does one that leaves something.
    const failing = backlog.step(() => {
      addAfter(20);
      return Promise.reject(new Error('cut off'));
    });
    await expect(failing).rejects.toThrow('cut off');
    expect(backlog.lagMs).toBe(30);
    await backlog.step(() => Promise.resolve(false));
    expect(backlog.lagMs).toBe(30);
    await backlog.step(() => Promise.resolve(true));
    expect(backlog.lagMs).toBe(0);
    addAfter(5);
    vi.advanceTimersByTime(5);
    expect(backlog.lagMs).toBe(5);
  });
});
