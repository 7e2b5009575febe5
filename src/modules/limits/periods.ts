/** Calendar periods in UTC. A week begins on Monday. */
export const LIMIT_PERIODS = ['day', 'week', 'month'] as const;
export type LimitPeriod = (typeof LIMIT_PERIODS)[number];

export interface PeriodSpan {
  readonly startMs: number;
  /** When the next one starts. */
  readonly endMs: number;
}

/** The period in which a moment lies. */
export function periodAt(period: LimitPeriod, timeMs: number): PeriodSpan {
  const time = new Date(timeMs);
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  switch (period) {
    case 'day':
      return { startMs: Date.UTC(year, month, day), endMs: Date.UTC(year, month, day + 1) };
    case 'week': {
      const monday = day - ((time.getUTCDay() + 6) % 7);
      return { startMs: Date.UTC(year, month, monday), endMs: Date.UTC(year, month, monday + 7) };
    }
    case 'month':
      return { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) };
  }
}
