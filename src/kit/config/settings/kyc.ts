import { kycLimit, type KycLimit } from '../kyc-limit.js';
import { bool, integer, listOf } from '../readers.js';
import { filePath, optional, type ReadSetting, setting } from '../setting.js';
import { ConfigError } from '../start-refusal.js';

/** How well people must be known, and what they may then be paid out. */
export interface KycConfig {
  readonly ageMinYears: number;
  /** Whether cases without findings are approved without an operator. */
  readonly autoApprove: boolean;
  /** Whether clearly wrong cases are rejected at once; otherwise an operator decides. */
  readonly autoReject: boolean;
  readonly limits: readonly KycLimit[];
  /** The OFAC SDN list as CSV. Undefined: nobody is screened, and so nobody is approved automatically. */
  readonly sanctionsFile: string | undefined;
  /** The file with alternative names; undefined if there is none. */
  readonly sanctionsAltFile: string | undefined;
  /** The similarity of names, from 0 to 100, from which an operator must decide. */
  readonly sanctionsScoreMin: number;
}

export const kycSettings = {
  kycAgeMinYears: setting(
    'KYC_AGE_MIN_YEARS',
    integer(1, 99),
    '18',
    'How old a person must be to be approved.',
  ),
  kycAutoApprove: setting(
    'KYC_AUTO_APPROVE',
    bool,
    'false',
    'Approves a KYC case without an operator where all checks pass; needs SANCTIONS_FILE.',
  ),
  kycAutoReject: setting(
    'KYC_AUTO_REJECT',
    bool,
    'true',
    'Rejects a KYC case at once that is wrong beyond doubt, such as one with an expired document.',
  ),
  kycLimits: setting(
    'KYC_LIMITS',
    listOf(kycLimit, 100),
    '1=10000/50000/100000',
    'What each KYC level may be paid out in a payment, 24 hours and 30 days, such as 1=10000/50000/100000,2:EUR=20000/80000/200000.',
  ),
  sanctionsFile: optional(
    'SANCTIONS_FILE',
    filePath,
    'none',
    'The sanctions list that names are checked against: sdn.csv of OFAC, or a file of that form.',
  ),
  sanctionsAltFile: optional(
    'SANCTIONS_ALT_FILE',
    filePath,
    'none',
    'Other names of the entries of SANCTIONS_FILE: alt.csv of OFAC.',
  ),
  sanctionsScoreMin: setting(
    'SANCTIONS_SCORE_MIN',
    integer(50, 100),
    '88',
    'How alike a name and one of the sanctions list are, of 100, from which on a person must look.',
  ),
};

export function readKycConfig(read: ReadSetting): KycConfig {
  const autoApprove = read(kycSettings.kycAutoApprove);
  const sanctionsFile = read(kycSettings.sanctionsFile);
  const sanctionsAltFile = read(kycSettings.sanctionsAltFile);
  if (autoApprove && sanctionsFile === undefined) {
    throw new ConfigError('KYC_AUTO_APPROVE', 'must not be true without SANCTIONS_FILE.');
  }
  if (sanctionsAltFile !== undefined && sanctionsFile === undefined) {
    throw new ConfigError('SANCTIONS_ALT_FILE', 'must be set together with SANCTIONS_FILE.');
  }
  return {
    ageMinYears: read(kycSettings.kycAgeMinYears),
    autoApprove,
    autoReject: read(kycSettings.kycAutoReject),
    limits: read(kycSettings.kycLimits),
    sanctionsFile,
    sanctionsAltFile,
    sanctionsScoreMin: read(kycSettings.sanctionsScoreMin),
  };
}
