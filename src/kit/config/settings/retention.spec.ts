import { describe, expect, it } from 'vitest';
import { loadConfig } from '../config.js';

describe('the settings of retention', () => {
  it('keep everything but deliveries, KYC records of closed users, and leaves of old cuts, by default', () => {
    expect(loadConfig({}).retention).toEqual({
      newsDays: undefined,
      deliveriesDays: 30,
      logsDays: undefined,
      idleRoomsDays: undefined,
      kycDays: 1825,
      liabilitiesDays: 90,
    });
  });

  it('are read in days', () => {
    const { retention } = loadConfig({
      RETENTION_NEWS_DAYS: '365',
      RETENTION_DELIVERIES_DAYS: '4',
      RETENTION_LOGS_DAYS: '30',
      RETENTION_IDLE_ROOMS_DAYS: '90',
      KYC_RETENTION_DAYS: '0',
      RETENTION_LIABILITIES_DAYS: '7',
    });
    expect(retention).toEqual({
      newsDays: 365,
      deliveriesDays: 4,
      logsDays: 30,
      idleRoomsDays: 90,
      kycDays: 0,
      liabilitiesDays: 7,
    });
  });

  it.each([
    ['RETENTION_NEWS_DAYS', '0'],
    // Deliveries are tried for up to four days, and who knows a password counts for 30.
    ['RETENTION_DELIVERIES_DAYS', '3'],
    ['RETENTION_LOGS_DAYS', '29'],
    ['RETENTION_IDLE_ROOMS_DAYS', '1.5'],
    ['KYC_RETENTION_DAYS', '-1'],
  ])('refuse %s=%s', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(name);
  });
});
