import { listOf, type Reader, text } from '../../../kit/config/readers.js';
import { optional, secret, setting } from '../../../kit/config/setting.js';
import { settingGroup } from '../../../kit/config/setting-group.js';
import { ConfigError } from '../../../kit/config/start-refusal.js';

const ENTRIES_MAX = 200;

/** A group and a role, such as `desk=operator:support`; what stands behind the last equals sign is the role. */
const groupRole: Reader<readonly [group: string, role: string]> = {
  expects: 'a group and a role, such as desk=operator:support',
  parse: (value) => {
    const [, group, role] = /^(.{1,200})=([a-z][a-z0-9:_-]{0,99})$/.exec(value) ?? [];
    return group === undefined || role === undefined ? undefined : [group.trim(), role];
  },
};

/** As it is written: a slash at the end is part of an issuer's name. */
const issuerUrl: Reader<string> = {
  expects: 'an address such as https://login.example.com/realms/main, without query or fragment',
  parse: (value) => (/^https?:[/][/][^?#@\s]+$/.test(value) && URL.canParse(value) ? value : undefined),
};

const word = text('words without spaces', /^\S{1,200}$/);

/** How the service is known to a provider of OpenID Connect, and what it makes of what that says. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a client without one. */
  readonly clientSecret: string | null;
  readonly label: string;
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly roles: readonly (readonly [group: string, role: string])[];
  readonly secondFactorAcr: readonly string[];
  readonly secondFactorAmr: readonly string[];
}

/** The provider of OpenID Connect at which users may log in; `undefined` for none. */
export const OIDC_SETTINGS = settingGroup(
  {
    issuer: optional(
      'OIDC_ISSUER',
      issuerUrl,
      'no log-in by OpenID Connect',
      'The issuer of OpenID Connect at which users may log in, exactly as its discovery document has it; a host inside has to be in OUTGOING_INTERNAL_HOSTS, too.',
    ),
    clientId: optional(
      'OIDC_CLIENT_ID',
      text('printable ASCII text', /^[\x20-\x7e]{1,255}$/),
      'none',
      'As what the service is registered at OIDC_ISSUER; needed with it.',
    ),
    clientSecret: secret('OIDC_CLIENT_SECRET', 'a client without a secret', 'The secret of OIDC_CLIENT_ID.'),
    label: setting(
      'OIDC_LABEL',
      text('at most 60 characters', /^[^\p{Cc}]{1,60}$/u),
      'single sign-on',
      'What the log-in page calls OIDC_ISSUER.',
    ),
    scopes: setting(
      'OIDC_SCOPES',
      text('scopes with spaces between, openid among them', /^(?=(?:.* )?openid(?: |$))[!-~]+(?: [!-~]+)*$/),
      'openid profile email',
      'What OIDC_ISSUER is asked for. Where it gives refresh tokens for offline_access alone, add that.',
    ),
    groupsClaim: setting(
      'OIDC_GROUPS_CLAIM',
      word,
      'groups',
      'In which claim OIDC_ISSUER names groups; of one inside of another, both with a dot between.',
    ),
    roles: optional(
      'OIDC_ROLES',
      listOf(groupRole, ENTRIES_MAX),
      'none',
      'The roles of operators that groups have, such as desk=operator:support,heads=admin.',
    ),
    secondFactorAcr: optional(
      'OIDC_SECOND_FACTOR_ACR',
      listOf(word, ENTRIES_MAX),
      'none',
      'Values of acr that count as a second factor; OIDC_ISSUER is asked for them.',
    ),
    secondFactorAmr: optional(
      'OIDC_SECOND_FACTOR_AMR',
      listOf(word, ENTRIES_MAX),
      'none',
      'Values of amr, such as mfa,otp,hwk, each of which counts as a second factor.',
    ),
  },
  (values, { isProduction }): OidcConfig | undefined => {
    const { issuer, clientId, clientSecret, roles = [], secondFactorAcr = [], secondFactorAmr = [] } = values;
    if (issuer === undefined) {
      if (clientId !== undefined || clientSecret !== undefined || roles.length > 0)
        throw new ConfigError(
          'OIDC_ISSUER',
          'must be set with OIDC_CLIENT_ID, OIDC_CLIENT_SECRET or OIDC_ROLES.',
        );
      return undefined;
    }
    if (clientId === undefined)
      throw new ConfigError('OIDC_CLIENT_ID', 'must be set together with OIDC_ISSUER.');
    if (isProduction && issuer.startsWith('http:'))
      throw new ConfigError('OIDC_ISSUER', 'must begin with https:// when NODE_ENV is production.');
    return {
      ...values,
      issuer,
      clientId,
      clientSecret: clientSecret ?? null,
      roles,
      secondFactorAcr,
      secondFactorAmr,
    };
  },
);
