import { integer } from '../../../kit/config/readers.js';
import { setting } from '../../../kit/config/setting.js';
import { settingGroup } from '../../../kit/config/setting-group.js';
import { ConfigError } from '../../../kit/config/start-refusal.js';

const YEAR_S = 31_536_000;

/** For how long log-ins and tokens are good. */
export const SESSION_LENGTHS = settingGroup(
  {
    sessionSeconds: setting(
      'SESSION_SECONDS',
      integer(60, YEAR_S),
      '43200',
      'How long a session of the API lasts, and the log-in of a browser at the console.',
    ),
    consentSessionSeconds: setting(
      'CONSENT_SESSION_SECONDS',
      integer(60, YEAR_S),
      '900',
      "How long a browser stays logged in that decides about an app's access.",
    ),
    accessTokenSeconds: setting(
      'ACCESS_TOKEN_SECONDS',
      integer(60, 86_400),
      '3600',
      'How long an access token of OAuth is good.',
    ),
    refreshTokenSeconds: setting(
      'REFRESH_TOKEN_SECONDS',
      integer(60, YEAR_S),
      '2592000',
      'How long a refresh token is good that nobody uses; each use gives another one.',
    ),
  },
  (lengths) => {
    if (lengths.refreshTokenSeconds < lengths.accessTokenSeconds)
      throw new ConfigError('REFRESH_TOKEN_SECONDS', 'must not be below ACCESS_TOKEN_SECONDS.');
    return lengths;
  },
);
