import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Backlog } from './backlog.js';

describe('a backlog', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is as old as the oldest that no step has taken up', () => {
    const backlog = new Backlog();
    const addAfter = (ms: number): void => {
      vi.advanceTimersByTime(ms);
      backlog.add();
    };
    expect(backlog.lagMs).toBe(0);
    addAfter(0);
    addAfter(30);
    expect(backlog.lagMs).toBe(30);
    backlog.beginStep();
    addAfter(10);
    addAfter(10);
    expect(backlog.lagMs).toBe(50);
    backlog.endStep();
    expect(backlog.lagMs).toBe(10);

    // A step that fails leaves all as it was.
    backlog.beginStep();
    addAfter(20);
    expect(backlog.lagMs).toBe(30);
    backlog.beginStep();
    backlog.endStep();
    expect(backlog.lagMs).toBe(0);
    addAfter(5);
    vi.advanceTimersByTime(5);
    expect(backlog.lagMs).toBe(5);
  });
});
