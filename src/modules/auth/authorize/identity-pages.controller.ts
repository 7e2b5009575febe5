import { Controller, Get, Param, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Audited } from '../../../kit/audit/audited.js';
import { FORBIDDEN } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { isRecent } from '../../../kit/security/step-up.js';
import { SecondFactors } from '../factors/second-factors.js';
import { IdentityLogIns } from '../identity/identity-log-ins.js';
import { IdentityProviders } from '../identity/identity-providers.js';
import { IdentityUsers } from '../identity/identity-users.js';
import type { LoggedInUser } from '../tokens/login-sessions.service.js';
import { AuthorizeErrorFilter } from './authorize-error.filter.js';
import { AuthorizeSteps, expired, problemOf, queryWithoutPrompt, rawQueryOf } from './authorize-steps.js';
import { BrowserSessions, type BrowserSession } from './browser-sessions.js';
import { PageLooks } from './page-looks.js';
import { redirectTo, sendPage } from './page-response.js';
import { linkedPage, linkPage } from './pages.js';

/**
 * Log-ins by identities that others keep. The browser goes to the provider and comes back with its answer, which counts
 * for nobody but the browser that began: so nobody is logged in, or linked, with what somebody else has begun.
 */
@ApiExcludeController()
@Public()
@UseFilters(AuthorizeErrorFilter)
@Controller('oauth')
export class IdentityPagesController {
  constructor(
    private readonly steps: AuthorizeSteps,
    private readonly providers: IdentityProviders,
    private readonly logIns: IdentityLogIns,
    private readonly identities: IdentityUsers,
    private readonly sessions: BrowserSessions,
    private readonly factors: SecondFactors,
    private readonly looks: PageLooks,
  ) {}

  /** From the login page, which is about to be left for the provider. */
  @Get('begin-:provider')
  @RateLimitedAs('identity_log_ins')
  async begin(
    @Param('provider') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const provider = this.providers.get(name);
    const step = await this.steps.begin(request, response);
    const { authorization, session } = step;
    const problem = await problemOf(step, async () => {
      const address = await this.logIns.begin(provider, {
        browserSecret: session.secret,
        query: queryWithoutPrompt(request),
        // Who is logged in already comes here to prove to be there.
        isFresh: authorization.prompt.login || session.user !== null,
        linkedUserId: null,
      });
      redirectTo(response, address);
    });
    if (problem === undefined) return;
    const shown = requestAt(request, `authorize?${rawQueryOf(request)}`);
    this.steps.showLogin({ ...step, request: shown, look: this.looks.of(shown) }, problem);
  }

  /** Where a user binds an identity: from the page that says so, in a browser in which the user has just been there. */
  @Get('link-:provider')
  @RateLimitedAs('identity_log_ins')
  async showLink(
    @Param('provider') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const provider = this.providers.get(name);
    const look = this.looks.of(request);
    const session = await this.sessions.open(request, response);
    const user = requirePresent(session, look.words.link.logInFirst);
    const address = await this.logIns.begin(provider, {
      browserSecret: session.secret,
      query: '',
      isFresh: true,
      linkedUserId: user.userId,
    });
    sendPage(response, 200, linkPage(look, { username: user.username, label: provider.label, address }));
  }

  @Get('callback-:provider')
  @Audited({ sometimes: true })
  async finish(
    @Param('provider') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const provider = this.providers.get(name);
    const look = this.looks.of(request);
    const session = await this.sessions.open(request, response);
    const answer = new URLSearchParams(rawQueryOf(request));
    const logIn = await this.logIns.take(
      provider,
      answer.get('state'),
      session.secret,
      expired({ look }).message,
    );
    if (logIn.linkedUserId !== null) {
      const { userId, username } = requirePresent(session, look.words.link.logInFirst);
      if (userId !== logIn.linkedUserId) throw new ApiError(FORBIDDEN, look.words.link.logInFirst);
      const identity = await this.logIns.finish(provider, logIn, session.secret, answer);
      await this.identities.link(provider.name, identity, userId, username);
      sendPage(response, 200, linkedPage(look, { username, label: provider.label }));
      return;
    }
    const step = await this.steps.begin(requestAt(request, `authorize?${logIn.query}`), response);
    const problem = await problemOf(step, async () => {
      const identity = await this.logIns.finish(provider, logIn, session.secret, answer);
      const user = await this.identities.logIn(provider.name, identity, session.secret);
      const { hasSecondFactor, authenticatedAt: at } = identity;
      const needsCode = !hasSecondFactor && (await this.factors.isEnrolled(user.userId));
      if (needsCode) await this.sessions.awaitCode(session, user, response);
      else await this.steps.logIn(step, user, { by: hasSecondFactor ? 'identity_factor' : 'identity', at });
    });
    if (problem !== undefined) this.steps.showLogin(step, problem);
    else redirectTo(response, `authorize?${logIn.query}`);
  }
}

/** The user of the browser, there within the last minutes. Throws `forbidden` (403). */
function requirePresent({ user }: BrowserSession, problem: string): LoggedInUser {
  if (user?.provedAt != null && isRecent(user.provedAt)) return user;
  throw new ApiError(FORBIDDEN, problem);
}

/** The request as if for another step, whose page is shown in its place. */
function requestAt(request: Request, address: string): Request {
  const url = new URL(address, 'http://localhost/oauth/');
  const at = `${url.pathname}${url.search}`;
  return Object.create(request, {
    url: { value: at },
    originalUrl: { value: at },
    path: { value: url.pathname },
    query: { value: Object.fromEntries(url.searchParams) },
  }) as Request;
}
