import { describe, expect, it } from 'vitest';
import { FileRail } from '../bank-rails/file-rail.js';
import { localTimeOf } from '../bank-rails/local-time.js';
import { settingsOf } from '../../../../test/support/settings.js';
import { PAYOUT_SETTINGS } from '../bank-rails/payout-settings.js';
import { lastCutOffOf, paidAfterOf, settlementDayOf } from './rail-clock.js';

const [sepa, ach] = new FileRail(settingsOf([PAYOUT_SETTINGS])).rails() as [never, never];

describe('the clock of a rail', () => {
  it('is that of its place, in winter and in summer', () => {
    expect(localTimeOf(sepa, new Date('2026-11-20T23:30:00Z'))).toEqual({ date: '2026-11-21', minutes: 30 });
    expect(localTimeOf(sepa, new Date('2026-07-01T13:00:00Z'))).toEqual({ date: '2026-07-01', minutes: 900 });
    expect(localTimeOf(ach, new Date('2026-11-21T03:00:00Z'))).toEqual({
      date: '2026-11-20',
      minutes: 1_320,
    });
  });

  it.each([
    ['before the cut-off', '2026-11-20T13:59:00Z', '2026-11-19'],
    ['at the cut-off', '2026-11-20T14:00:00Z', '2026-11-20'],
    ['on a Saturday', '2026-11-21T20:00:00Z', '2026-11-20'],
    ['early on a Monday', '2026-11-23T06:00:00Z', '2026-11-20'],
    ['on Easter Monday', '2026-04-06T20:00:00Z', '2026-04-02'],
  ])('knows the last cut-off %s', (_when, now, day) => {
    expect(lastCutOffOf(sepa, new Date(now))).toBe(day);
  });

  it.each([
    [sepa, 'in time', '2026-11-20T09:00:00Z', undefined, '2026-11-20'],
    [sepa, 'too late', '2026-11-20T15:00:00Z', undefined, '2026-11-23'],
    [sepa, 'at the cut-off itself', '2026-11-20T14:00:05Z', '2026-11-20', '2026-11-20'],
    [sepa, 'for a cut-off that was missed', '2026-11-23T15:00:00Z', '2026-11-20', '2026-11-24'],
    [sepa, 'on a Sunday night', '2026-11-22T20:00:00Z', undefined, '2026-11-23'],
    [ach, 'in time', '2026-11-20T15:00:00Z', undefined, '2026-11-23'],
    [ach, 'too late', '2026-11-20T22:00:00Z', undefined, '2026-11-24'],
    [ach, 'before Thanksgiving', '2026-11-25T15:00:00Z', undefined, '2026-11-27'],
    [ach, 'on a Sunday', '2026-11-22T15:00:00Z', undefined, '2026-11-24'],
  ])('asks the bank to pay a file made %#', (terms, _when, now, cutOffDay, day) => {
    expect(settlementDayOf(terms, new Date(now), cutOffDay)).toBe(day);
  });

  it('waits for returns from the later of the two days', () => {
    expect(paidAfterOf(sepa, '2026-11-20', new Date('2026-11-20T10:00:00Z'))).toBe('2026-11-24');
    expect(paidAfterOf(sepa, '2026-11-20', new Date('2026-11-25T10:00:00Z'))).toBe('2026-11-27');
    expect(paidAfterOf(ach, '2026-11-25', new Date('2026-11-24T10:00:00Z'))).toBe('2026-12-01');
  });
});
