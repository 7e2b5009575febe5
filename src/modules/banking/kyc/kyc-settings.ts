import { bool, integer, listOf } from '../../../kit/config/readers.js';
import { filePath, optional, setting } from '../../../kit/config/setting.js';
import { settingGroup } from '../../../kit/config/setting-group.js';
import { ConfigError } from '../../../kit/config/start-refusal.js';
import { kycLimit } from './kyc-limit.js';

/** How well people must be known, and what they may then be paid out. */
export const KYC_SETTINGS = settingGroup(
  {
    ageMinYears: setting(
      'KYC_AGE_MIN_YEARS',
      integer(1, 99),
      '18',
      'How old a person must be to be approved.',
    ),
    autoApprove: setting(
      'KYC_AUTO_APPROVE',
      bool,
      'false',
      'Approves a KYC case without an operator where all checks pass; needs SANCTIONS_FILE.',
    ),
    autoReject: setting(
      'KYC_AUTO_REJECT',
      bool,
      'true',
      'Rejects a KYC case at once that is wrong beyond doubt, such as one with an expired document.',
    ),
    limits: setting(
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
  },
  (kyc) => {
    if (kyc.autoApprove && kyc.sanctionsFile === undefined) {
      throw new ConfigError('KYC_AUTO_APPROVE', 'must not be true without SANCTIONS_FILE.');
    }
    if (kyc.sanctionsAltFile !== undefined && kyc.sanctionsFile === undefined) {
      throw new ConfigError('SANCTIONS_ALT_FILE', 'must be set together with SANCTIONS_FILE.');
    }
    return kyc;
  },
);
