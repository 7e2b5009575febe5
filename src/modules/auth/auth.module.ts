import * as ERROR_CODES from './errors.js';
import { CredentialWatch } from '../../kit/realtime/credential-watch.js';
import { EventStreams } from '../../kit/realtime/event-streams.js';
import { SocketAuthentication } from '../../kit/realtime/socket-authentication.js';
import { Authenticator } from '../../kit/security/authenticator.js';
import { SEND_VERIFICATION } from '../users/email-addresses.js';
import { UsersModule } from '../users/users.module.js';
import { ApiKeyEntity } from './api-keys/api-key.entity.js';
import { ApiKeysController } from './owned/api-keys.controller.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { OwnedApiKeysService } from './owned/owned-api-keys.service.js';
import { OwnedKeysService } from './owned/owned-keys.service.js';
import { OwnedSigningKeysService } from './owned/owned-signing-keys.service.js';
import { SigningKeysController } from './owned/signing-keys.controller.js';
import { ClientSecrets } from './clients/client-secrets.js';
import { ConsoleClient } from './clients/console-client.js';
import { ClientsController } from './owned/clients.controller.js';
import { OAuthClientEntity } from './clients/oauth-client.entity.js';
import { OAuthClientsService } from './clients/oauth-clients.service.js';
import { OwnedClientsService } from './owned/owned-clients.service.js';
import { CredentialGuard } from './guard/credential.guard.js';
import { CredentialAuthenticator } from './credentials/credential-authenticator.js';
import { CredentialScopes } from './credentials/credential-scopes.js';
import { CredentialStore } from './credentials/credential-store.js';
import { KeyChangeEntity } from './credentials/key-change.entity.js';
import { KeyStore } from './credentials/key-store.js';
import { KeyWatch, OLD_KEY_CHANGES } from './credentials/key-watch.js';
import { LastUses } from './credentials/last-uses.js';
import { StandingStore } from './credentials/standing-store.js';
import { SecondFactorsController } from './factors/second-factors.controller.js';
import { FactorChanges } from './factors/factor-changes.js';
import { FACTOR_RESET, FactorResets } from './factors/factor-resets.service.js';
import { PasskeyChallengeEntity } from './passkeys/passkey-challenge.entity.js';
import { PasskeyChallenges } from './passkeys/passkey-challenges.js';
import { PasskeyLogin } from './passkeys/passkey-login.js';
import { PasskeyProofs } from './passkeys/passkey-proofs.js';
import { PasskeyEntity } from './passkeys/passkey.entity.js';
import { PasskeysController } from './factors/passkeys.controller.js';
import { Passkeys } from './factors/passkeys.service.js';
import { RelyingParty } from './passkeys/relying-party.js';
import { RecoveryCodeEntity } from './factors/recovery-code.entity.js';
import { SecondFactors } from './factors/second-factors.js';
import { StepUpController } from './factors/step-up.controller.js';
import { StepUps } from './factors/step-up.service.js';
import { TotpCodes } from './factors/totp-codes.js';
import { TotpFactorEntity } from './factors/totp-factor.entity.js';
import { TotpController } from './factors/totp.controller.js';
import { TotpFactors } from './factors/totp.service.js';
import { ApiKeyGuard } from './guard/api-key.guard.js';
import { ApiKeyStrategy } from './guard/api-key.strategy.js';
import { BearerGuard } from './guard/bearer.guard.js';
import { BearerStrategy } from './guard/bearer.strategy.js';
import { ScopesGuard } from './guard/scopes.guard.js';
import { SignatureGuard } from './guard/signature.guard.js';
import { TicketGuard } from './guard/ticket.guard.js';
import { AuthCodeRepository } from './oauth/auth-code.repository.js';
import { AuthController } from './oauth/auth.controller.js';
import { authorizationServerProvider } from './oauth/authorization-server.js';
import { Authorizations } from './authorize/authorizations.js';
import { AuthorizeController } from './authorize/authorize.controller.js';
import { AUTH_WORDS } from './words/auth-words.js';
import { PageLooks } from './authorize/page-looks.js';
import { BrowserLanguages } from './authorize/browser-languages.js';
import { BrowserPasskeys } from './authorize/browser-passkeys.js';
import { BrowserSessions } from './authorize/browser-sessions.js';
import { ClientAuthentication } from './oauth/client-authentication.js';
import { ClientRepository } from './oauth/client.repository.js';
import { OauthAuthorizationServerController } from './oauth/oauth-authorization-server.controller.js';
import { OAuthController } from './oauth/oauth.controller.js';
import { ScopeRepository } from './oauth/scope.repository.js';
import { TokenEndpoint } from './oauth/token-endpoint.js';
import { TokenIssuer } from './oauth/token-issuer.js';
import { TokenManagement } from './oauth/token-management.js';
import { TokenRepository } from './oauth/token.repository.js';
import { UserInfoController } from './oauth/userinfo.controller.js';
import { UserRepository } from './oauth/user.repository.js';
import { CredentialRevocation } from './sessions/credential-revocation.js';
import { PasskeysLogInController } from './sessions/passkeys-log-in.controller.js';
import { LoginController } from './sessions/login.controller.js';
import { LogoutController } from './sessions/logout.controller.js';
import { SessionsService } from './sessions/sessions.service.js';
import { SignatureNonceEntity } from './signatures/signature-nonce.entity.js';
import { SharedSecrets } from './signatures/shared-secrets.js';
import { SignatureVerifier } from './signatures/signature-verifier.js';
import { EXPIRED_NONCES, UsedNonces } from './signatures/used-nonces.js';
import { StreamTicketEntity } from './tickets/stream-ticket.entity.js';
import { StreamTicketsController } from './tickets/stream-tickets.controller.js';
import { StreamTicketsService } from './tickets/stream-tickets.service.js';
import { EmailController } from './mailed/email.controller.js';
import { EmailVerifications } from './mailed/email-verifications.service.js';
import { FIND_FORGETFUL, ForgottenPasswords, SEND_RESET } from './mailed/forgotten-passwords.service.js';
import { MailTokenEntity } from './mailed/mail-token.entity.js';
import { EXPIRED_MAIL_TOKENS } from './mailed/mail-tokens.js';
import { MailedPagesController } from './mailed/mailed-pages.controller.js';
import { PasswordResetController } from './mailed/password-reset.controller.js';
import { PasswordForgotController } from './mailed/password-forgot.controller.js';
import { PasswordResets } from './mailed/password-resets.service.js';
import {
  AccessTokensService,
  EXPIRED_TOKENS,
  UNUSED_IDENTITY_SESSIONS,
} from './tokens/access-tokens.service.js';
import { GrantEntity } from './tokens/grant.entity.js';
import { GrantsService } from './tokens/grants.service.js';
import { KnownDeviceEntity } from './tokens/known-device.entity.js';
import { FORGOTTEN_DEVICES } from './tokens/known-devices.js';
import { LoginSessionEntity } from './tokens/login-session.entity.js';
import { LoginSessionsService } from './tokens/login-sessions.service.js';
import { OAuthTokenEntity } from './tokens/oauth-token.entity.js';
import { SessionEntity } from './tokens/session.entity.js';
import { SESSION_LENGTHS } from './tokens/session-lengths.js';
import { UserSessions } from './sessions/user-sessions.service.js';
import { UserSessionsController } from './sessions/user-sessions.controller.js';
import { RefreshTokenEntity } from './tokens/refresh-token.entity.js';
import { AuthPersonalData } from './auth-personal-data.js';
import { KeySignatures } from './signed-keys/key-signatures.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { API_KEY_IDS, CLIENT_IDS, PASSKEY_IDS, SESSION_IDS } from './names/ids.js';
import { BackchannelLogoutController } from './identity/backchannel-logout.controller.js';
import { IdentityGroups } from './identity/identity-groups.js';
import { IdentityKeyEntity } from './identity/identity-key.entity.js';
import { IdentityLogInEntity } from './identity/identity-log-in.entity.js';
import { EXPIRED_IDENTITY_LOG_INS, IdentityLogIns } from './identity/identity-log-ins.js';
import { IdentityLogouts } from './identity/identity-logouts.js';
import { IdentityProvider } from './identity/identity-provider.js';
import { IdentityProviders } from './identity/identity-providers.js';
import { IdentityRenewals } from './identity/identity-renewals.js';
import { OIDC_SETTINGS } from './identity/identity-settings.js';
import { IdentityUsers } from './identity/identity-users.js';
import { OpenIdConnect } from './identity/openid-connect.js';
import { RenewalSecrets } from './identity/renewal-secrets.js';
import { UserIdentityEntity } from './identity/user-identity.entity.js';
import { AuthorizeSteps } from './authorize/authorize-steps.js';
import { IdentityPagesController } from './authorize/identity-pages.controller.js';
import { IdentitySessionEntity } from './tokens/identity-session.entity.js';
import { severalOf } from '../../kit/module/extension-point.js';
import { Identities1780000070100 } from './migrations/1780000070100-identities.js';
import { AuthBaseline1780000000400 } from './migrations/1780000000400-baseline.js';

/** Authentication: clients, access tokens, API keys, and the global guard of all routes. */
@TradepostModule({
  name: 'auth',
  errorCodes: Object.values(ERROR_CODES),
  idPrefixes: [CLIENT_IDS, API_KEY_IDS, SESSION_IDS, PASSKEY_IDS],
  settings: [OIDC_SETTINGS, SESSION_LENGTHS],
  extensionPoints: [severalOf(IdentityProvider, 'identity')],
  implementations: [OAuthClientsService, CredentialScopes, KeySignatures, IdentityGroups],
  approvals: [FACTOR_RESET.carriedOutBy(FactorResets, ({ kind }) => kind)],
  purges: [
    ...EXPIRED_TOKENS,
    UNUSED_IDENTITY_SESSIONS,
    EXPIRED_IDENTITY_LOG_INS,
    EXPIRED_NONCES,
    EXPIRED_MAIL_TOKENS,
    FORGOTTEN_DEVICES,
    OLD_KEY_CHANGES,
  ],
  personalData: [AuthPersonalData],
  jobs: [
    SEND_VERIFICATION.handledBy(EmailVerifications, (service, asked, run) => service.send(asked, run)),
    FIND_FORGETFUL.handledBy(ForgottenPasswords, (service, forgotten) => service.find(forgotten)),
    SEND_RESET.handledBy(ForgottenPasswords, (service, asked, run) => service.send(asked, run)),
  ],
  words: [AUTH_WORDS],
  entities: [
    KeyChangeEntity,
    OAuthClientEntity,
    OAuthTokenEntity,
    GrantEntity,
    RefreshTokenEntity,
    LoginSessionEntity,
    SessionEntity,
    TotpFactorEntity,
    RecoveryCodeEntity,
    PasskeyEntity,
    PasskeyChallengeEntity,
    ApiKeyEntity,
    StreamTicketEntity,
    SignatureNonceEntity,
    KnownDeviceEntity,
    MailTokenEntity,
    UserIdentityEntity,
    IdentityLogInEntity,
    IdentitySessionEntity,
    IdentityKeyEntity,
  ],
  migrations: [AuthBaseline1780000000400, Identities1780000070100],
  imports: [UsersModule, WebhooksModule],
  controllers: [
    LoginController,
    LogoutController,
    UserSessionsController,
    StepUpController,
    TotpController,
    PasskeysLogInController,
    PasskeysController,
    SecondFactorsController,
    EmailController,
    PasswordResetController,
    PasswordForgotController,
    MailedPagesController,
    ClientsController,
    ApiKeysController,
    SigningKeysController,
    StreamTicketsController,
    AuthController,
    OAuthController,
    AuthorizeController,
    IdentityPagesController,
    BackchannelLogoutController,
    UserInfoController,
    OauthAuthorizationServerController,
  ],
  providers: [
    ConsoleClient,
    ClientSecrets,
    OwnedClientsService,
    ApiKeysService,
    OwnedKeysService,
    OwnedApiKeysService,
    OwnedSigningKeysService,
    AccessTokensService,
    GrantsService,
    LoginSessionsService,
    UserSessions,
    SessionsService,
    TotpCodes,
    RelyingParty,
    PasskeyChallenges,
    PasskeyProofs,
    PasskeyLogin,
    SecondFactors,
    FactorChanges,
    StepUps,
    TotpFactors,
    Passkeys,
    FactorResets,
    EmailVerifications,
    ForgottenPasswords,
    PasswordResets,
    CredentialRevocation,
    CredentialStore,
    KeyStore,
    KeyWatch,
    UsedNonces,
    SignatureVerifier,
    SharedSecrets,
    StandingStore,
    LastUses,
    CredentialAuthenticator,
    { provide: Authenticator, useExisting: CredentialAuthenticator },
    CredentialWatch,
    SocketAuthentication,
    EventStreams,
    StreamTicketsService,
    BearerStrategy,
    ApiKeyStrategy,
    BearerGuard,
    ApiKeyGuard,
    SignatureGuard,
    TicketGuard,
    ScopesGuard,
    CredentialGuard,
    ClientRepository,
    TokenRepository,
    ScopeRepository,
    AuthCodeRepository,
    UserRepository,
    authorizationServerProvider,
    ClientAuthentication,
    OpenIdConnect,
    IdentityProviders,
    IdentityLogIns,
    IdentityUsers,
    IdentityRenewals,
    IdentityLogouts,
    RenewalSecrets,
    Authorizations,
    AuthorizeSteps,
    BrowserSessions,
    BrowserPasskeys,
    PageLooks,
    BrowserLanguages,
    TokenIssuer,
    TokenManagement,
    TokenEndpoint,
  ],
  exports: [
    Authenticator,
    SocketAuthentication,
    EventStreams,
    CredentialGuard,
    ApiKeysService,
    AccessTokensService,
    CredentialAuthenticator,
    UsedNonces,
  ],
})
export class AuthModule {}
