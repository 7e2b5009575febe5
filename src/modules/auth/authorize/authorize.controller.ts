import { Body, Controller, Get, Header, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiResponse, ApiSeeOtherResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Audited } from '../../../kit/audit/audited.js';
import { ApiTextResponse } from '../../../kit/http/api-text-response.js';
import { FormBody } from '../../../kit/http/body-policy.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { ApiError } from '../../../kit/http/errors.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { isRecent } from '../../../kit/security/step-up.js';
import { PasswordLogin } from '../../users/password-login.js';
import type { UserEntity } from '../../users/user.entity.js';
import { SecondFactors } from '../factors/second-factors.js';
import { IdentityRenewals } from '../identity/identity-renewals.js';
import { FORBIDDEN } from '../../../kit/http/error-codes.js';
import { ApiAuthorizeParameters } from './authorize-parameters.js';
import { Authorizations, isConsole, type Authorization } from './authorizations.js';
import { AuthorizeErrorFilter } from './authorize-error.filter.js';
import {
  AuthorizeSteps,
  expired,
  nameOf,
  type Problem,
  problemOf,
  queryWithoutPrompt,
  rawQueryOf,
  type Step,
} from './authorize-steps.js';
import { BrowserPasskeys } from './browser-passkeys.js';
import { BrowserSessions, isOwnForm } from './browser-sessions.js';
import { redirectTo, sendPage } from './page-response.js';
import type { LoggedInUser } from '../tokens/login-sessions.service.js';
import { ScopeCatalogue } from '../../../kit/security/scope.js';
import { SCRIPT } from './passkey-form.js';
import { codePage, consentPage, stylesheet } from './pages.js';
import { Texts } from '../../../kit/words/texts.js';

/** What a form of ours sent; anything else may have been sent in its place. */
type Form = Readonly<Record<string, unknown>> | undefined;

/** A step that follows from the one before asks the provider no second time. */
const VOUCHED_FOR_MS = 60_000;

/**
 * The authorization endpoint of RFC 6749 and the pages on which users log in and decide. Each step carries the
 * whole request in its query and reads it anew, so nothing half done is kept anywhere.
 */
@ApiTags('Auth')
@Public()
@UseFilters(AuthorizeErrorFilter)
@Controller('oauth')
export class AuthorizeController {
  constructor(
    private readonly steps: AuthorizeSteps,
    private readonly authorizations: Authorizations,
    private readonly renewals: IdentityRenewals,
    private readonly sessions: BrowserSessions,
    private readonly passwords: PasswordLogin,
    private readonly factors: SecondFactors,
    private readonly passkeys: BrowserPasskeys,
    private readonly limits: RateLimits,
    private readonly scopes: ScopeCatalogue,
    private readonly texts: Texts,
  ) {}

  /**
   * Let a user decide what a client may do (RFC 6749)
   * @remarks For browsers: shows the log-in page, then the page of consent, and sends the browser back to
   * the client with a code (`response_type=code`, with PKCE by S256) or, for clients registered for the
   * implicit flow, with a token in the fragment (`response_type=token`). Refusals go to the `redirect_uri`
   * too, once it is proven to be the client’s; before that they are shown as a page. The service’s own console
   * gets its code as soon as the user is logged in.
   */
  @Get('authorize')
  @Audited({ sometimes: true })
  @ApiAuthorizeParameters()
  @ApiTextResponse('text/html', 'A page.')
  @ApiSeeOtherResponse({ description: 'The answer to the client, in `Location`.' })
  @ApiResponse({
    status: 400,
    description: 'The client or its `redirect_uri` is unknown: a page that says so.',
    content: {
      'text/html': { schema: { type: 'string' } },
      'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } },
    },
  })
  async authorize(@Req() request: Request, @Res() response: Response): Promise<void> {
    const step = await this.steps.begin(request, response);
    const { client, prompt, answer } = step.authorization;
    const user = await this.vouchedFor(step);
    if (prompt.login) this.steps.showLogin(step);
    else if (user !== null && isConsole(client)) await this.allow(step, user);
    else if (!prompt.none) await this.showNext({ ...step, session: { ...step.session, user } });
    else if (user === null) throw answer.refusal('login_required', 'The user is not logged in.');
    else throw answer.refusal('consent_required', 'The user has to allow it.');
  }

  @Post('login')
  @Audited({ sometimes: true })
  @FormBody()
  @ApiExcludeEndpoint()
  async login(@Body() form: Form, @Req() request: Request, @Res() response: Response): Promise<void> {
    const step = await this.steps.begin(request, response);
    const username = textOf(form?.['username']);
    const problem = isOwnForm(step.session, form?.['csrf_token'], request)
      ? await this.tryPassword(step, username, textOf(form?.['password']))
      : expired(step);
    if (problem !== undefined) this.steps.showLogin(step, { ...problem, username });
    else redirectTo(response, `authorize?${queryWithoutPrompt(request)}`);
  }

  @Post('code')
  @Audited({ sometimes: true })
  @FormBody()
  @ApiExcludeEndpoint()
  async code(@Body() form: Form, @Req() request: Request, @Res() response: Response): Promise<void> {
    const step = await this.steps.begin(request, response);
    const user = await this.sessions.userAwaited(step.session);
    if (user === null || !isOwnForm(step.session, form?.['csrf_token'], request)) {
      await this.showNext(step, expired(step));
      return;
    }
    const problem = await this.tryCode(step, user, textOf(form?.['code']));
    if (problem !== undefined) await this.showCode(step, user, problem);
    else redirectTo(response, `authorize?${queryWithoutPrompt(request)}`);
  }

  /** For the script of the pages. */
  @Post('passkey/options')
  @RateLimitedAs('passkey_challenges')
  @FormBody()
  @ApiExcludeEndpoint()
  async askPasskey(@Body() form: Form, @Req() request: Request, @Res() response: Response): Promise<void> {
    const step = await this.steps.begin(request, response);
    const { session } = step;
    if (!isOwnForm(session, form?.['csrf_token'], request))
      throw new ApiError(FORBIDDEN, expired(step).message);
    const options = await this.passkeys.ask(session, await this.sessions.userAwaited(session));
    response.status(200).set('Cache-Control', 'no-store').json(options);
  }

  @Post('passkey')
  @Audited({ sometimes: true })
  @FormBody()
  @ApiExcludeEndpoint()
  async passkey(@Body() form: Form, @Req() request: Request, @Res() response: Response): Promise<void> {
    const step = await this.steps.begin(request, response);
    const awaited = await this.sessions.userAwaited(step.session);
    const problem = isOwnForm(step.session, form?.['csrf_token'], request)
      ? await this.tryPasskey(step, awaited, textOf(form?.['response']))
      : expired(step);
    if (problem === undefined) redirectTo(response, `authorize?${queryWithoutPrompt(request)}`);
    else if (awaited === null) this.steps.showLogin(step, problem);
    else await this.showCode(step, awaited, problem);
  }

  @Post('consent')
  @Audited({ sometimes: true })
  @FormBody()
  @ApiExcludeEndpoint()
  async consent(@Body() form: Form, @Req() request: Request, @Res() response: Response): Promise<void> {
    const step = await this.steps.begin(request, response);
    const { authorization, session } = step;
    if (session.user === null || !isOwnForm(session, form?.['csrf_token'], request)) {
      await this.showNext(step, expired(step));
      return;
    }
    if (form?.['decision'] !== 'allow') {
      throw authorization.answer.refusal('access_denied', 'The user does not allow it.');
    }
    if (this.needsProof(authorization, session.user)) {
      await this.showNext(step);
      return;
    }
    await this.allow(step, session.user);
  }

  @Get('pages.css')
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=3600')
  @ApiExcludeEndpoint()
  stylesheet(): string {
    return stylesheet(this.texts.branding);
  }

  @Get('pages.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=3600')
  @ApiExcludeEndpoint()
  script(): string {
    return SCRIPT;
  }

  /** Sends the browser back to the client with what the user allows. */
  private async allow({ response, authorization, session }: Step, user: LoggedInUser): Promise<void> {
    const isStillLoggedIn = (): Promise<boolean> => this.sessions.isLoggedIn(session);
    redirectTo(response, await this.authorizations.allow(authorization, user, isStillLoggedIn));
  }

  /** The user of the browser, as long as the provider that began its log-in, if one did, goes on to vouch for it. */
  private async vouchedFor({ session }: Step): Promise<LoggedInUser | null> {
    const { user } = session;
    if (user?.sessionId == null || (await this.renewals.renew(user.sessionId, VOUCHED_FOR_MS))) return user;
    return null;
  }

  /** Whether the client would move money, and the user was there too long ago to allow that. */
  private needsProof(authorization: Authorization, user: LoggedInUser): boolean {
    const scopes = this.authorizations.scopesFor(authorization, user);
    if (!this.scopes.moveMoney(scopes)) return false;
    return user.provedAt === null || !isRecent(user.provedAt);
  }

  /** The page of consent for who is logged in, that for a code after the password, the login page for all others. */
  private async showNext(step: Step, problem?: Problem): Promise<void> {
    const { request, response, authorization, session, look } = step;
    const { client, answer } = authorization;
    if (session.user === null) {
      const awaited = await this.sessions.userAwaited(session);
      if (awaited === null) this.steps.showLogin(step, problem);
      else await this.showCode(step, awaited, problem);
      return;
    }
    if (this.needsProof(authorization, session.user)) {
      const { proofNeeded: message } = look.words.problems;
      this.steps.showLogin(step, problem ?? { status: 200, message, username: session.user.username });
      return;
    }
    const scopeWords = this.texts.of(this.scopes.words, look.language);
    const page = consentPage(look, {
      clientName: nameOf(client, look),
      username: session.user.username,
      scopes: this.authorizations.scopesFor(authorization, session.user).map((name) => ({
        name,
        words: scopeWords[name] ?? name,
      })),
      destination: destinationOf(answer.redirectUri),
      query: rawQueryOf(request),
      otherAccountQuery: queryOfOtherAccount(request),
      csrfToken: session.csrfToken,
      problem: problem?.message ?? null,
    });
    sendPage(response, problem?.status ?? 200, page, { redirectUri: answer.redirectUri });
  }

  private async showCode(
    { request, response, authorization, session, look }: Step,
    { userId, username }: UserEntity,
    problem?: Problem,
  ): Promise<void> {
    const { hasApp, hasPasskey } = await this.factors.kindsOf(userId);
    const takesPasskey = hasPasskey && this.passkeys.areOffered;
    const page = codePage(look, {
      username,
      hasApp,
      takesPasskey,
      query: rawQueryOf(request),
      otherAccountQuery: queryOfOtherAccount(request),
      csrfToken: session.csrfToken,
      problem: problem?.message ?? null,
    });
    const { redirectUri } = authorization.answer;
    sendPage(response, problem?.status ?? 200, page, { redirectUri, hasScript: takesPasskey });
  }

  /** Logs the browser in, or waits for the code of who has a second factor; answers with why not. */
  private tryPassword(step: Step, username: string, password: string): Promise<Problem | undefined> {
    const { request, response, session } = step;
    return problemOf(step, async () => {
      const user = await this.passwords.verify(username, password, this.limits.addressBucketOf(request));
      if (await this.factors.isEnrolled(user.userId)) await this.sessions.awaitCode(session, user, response);
      else await this.steps.logIn(step, user, { by: 'password' });
    });
  }

  /** As `tryPassword`, which came before. */
  private tryCode(step: Step, user: UserEntity, code: string): Promise<Problem | undefined> {
    return problemOf(step, async () => {
      const at = { addressBucket: this.limits.addressBucketOf(step.request) };
      await this.steps.logIn(step, user, { by: await this.factors.verify(user, code, at) });
    });
  }

  /** Of who is awaited after the password, or of anybody. */
  private tryPasskey(step: Step, awaited: UserEntity | null, text: string): Promise<Problem | undefined> {
    return problemOf(step, async () => {
      const addressBucket = this.limits.addressBucketOf(step.request);
      const user = await this.passkeys.verify(step.session, awaited, text, addressBucket);
      await this.steps.logIn(step, user, { by: 'passkey' });
    });
  }
}

/** A host with its port, or all of the address of an app that has none. */
function destinationOf(redirectUri: string): string {
  return new URL(redirectUri).host || redirectUri;
}

function queryOfOtherAccount(request: Request): string {
  return `${queryWithoutPrompt(request)}&prompt=login`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
