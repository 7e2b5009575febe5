import { integer } from '../readers.js';
import { optional, type ReadSetting, setting } from '../setting.js';

const DAYS_MAX = 36_500;

/** For how many days things are kept; undefined for ever. */
export interface RetentionConfig {
  readonly newsDays: number | undefined;
  readonly deliveriesDays: number;
  readonly logsDays: number | undefined;
  readonly idleRoomsDays: number | undefined;
  /** After a user was closed. */
  readonly kycDays: number;
  /** Leaves of proofs of liabilities. */
  readonly liabilitiesDays: number;
}

export const retentionSettings = {
  retentionNewsDays: optional(
    'RETENTION_NEWS_DAYS',
    integer(1, DAYS_MAX),
    'kept for ever',
    'Days after its publication when the text of a piece of news is deleted.',
  ),
  retentionDeliveriesDays: setting(
    'RETENTION_DELIVERIES_DAYS',
    integer(4, DAYS_MAX),
    '30',
    'Days after which events of webhooks and their deliveries are deleted; deliveries are tried for up to four.',
  ),
  retentionLogsDays: optional(
    'RETENTION_LOGS_DAYS',
    integer(30, DAYS_MAX),
    'kept for ever',
    'Days after which background jobs that were given up, and notes of reset passwords, are deleted.',
  ),
  retentionIdleRoomsDays: optional(
    'RETENTION_IDLE_ROOMS_DAYS',
    integer(1, DAYS_MAX),
    'kept for ever',
    'Days after its last event when a chat room is deleted, with its messages.',
  ),
  kycRetentionDays: setting(
    'KYC_RETENTION_DAYS',
    integer(0, DAYS_MAX),
    '1825',
    "Days after a user was closed when the user's KYC records and bank accounts are erased; ask what your law wants.",
  ),
  retentionLiabilitiesDays: setting(
    'RETENTION_LIABILITIES_DAYS',
    integer(1, DAYS_MAX),
    '90',
    'Days after which accounts can no longer prove that they are in a published cut of the liabilities; its totals and root stay.',
  ),
};

export function readRetentionConfig(read: ReadSetting): RetentionConfig {
  return {
    newsDays: read(retentionSettings.retentionNewsDays),
    deliveriesDays: read(retentionSettings.retentionDeliveriesDays),
    logsDays: read(retentionSettings.retentionLogsDays),
    idleRoomsDays: read(retentionSettings.retentionIdleRoomsDays),
    kycDays: read(retentionSettings.kycRetentionDays),
    liabilitiesDays: read(retentionSettings.retentionLiabilitiesDays),
  };
}
