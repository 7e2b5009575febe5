import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ApiError } from '../../../kit/http/errors.js';
import { LanguagesOfRequests } from '../../../kit/words/languages-of-requests.js';
import type { UserEntity } from '../../users/user.entity.js';
import { IdentityProviders } from '../identity/identity-providers.js';
import type { BrowserProof } from '../tokens/login-sessions.service.js';
import { Authorizations, isConsole, type Authorization, type Query } from './authorizations.js';
import { BrowserLanguages } from './browser-languages.js';
import { BrowserPasskeys } from './browser-passkeys.js';
import { BrowserSessions, type BrowserSession } from './browser-sessions.js';
import { type PageLook, PageLooks, refusalWords } from './page-looks.js';
import { sendPage } from './page-response.js';
import { loginPage } from './pages.js';

/** What the page that is shown again has to say about the last attempt. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly username?: string;
}

/** What every step of an authorization has before it. */
export interface Step {
  readonly request: Request;
  readonly response: Response;
  readonly authorization: Authorization;
  readonly session: BrowserSession;
  readonly look: PageLook;
}

/** What all ways to log in on the pages share. */
@Injectable()
export class AuthorizeSteps {
  constructor(
    private readonly authorizations: Authorizations,
    private readonly sessions: BrowserSessions,
    private readonly passkeys: BrowserPasskeys,
    private readonly providers: IdentityProviders,
    private readonly looks: PageLooks,
    private readonly languages: LanguagesOfRequests,
    private readonly browserLanguages: BrowserLanguages,
  ) {}

  /** Rejects as `Authorizations.read` and `BrowserSessions.open` do. */
  async begin(request: Request, response: Response): Promise<Step> {
    this.languages.keepChoice(request, response);
    const authorization = await this.authorizations.read(request.query as Query);
    const session = await this.sessions.open(request, response);
    return { request, response, authorization, session, look: this.looks.of(request) };
  }

  showLogin({ request, response, authorization, session, look }: Step, problem?: Problem): void {
    const { client, answer } = authorization;
    const takesPasskey = this.passkeys.areOffered;
    const query = rawQueryOf(request);
    const page = loginPage(look, {
      takesPasskey,
      identities: this.providers.all.map(({ name, label }) => ({ label, address: `begin-${name}?${query}` })),
      clientName: nameOf(client, look),
      username: problem?.username ?? '',
      query,
      csrfToken: session.csrfToken,
      problem: problem?.message ?? null,
    });
    const { redirectUri } = answer;
    sendPage(response, problem?.status ?? 200, page, { redirectUri, hasScript: takesPasskey });
  }

  async logIn(
    { request, response, authorization, session }: Step,
    user: UserEntity,
    proof: Omit<BrowserProof, 'formerSecret'>,
  ): Promise<void> {
    const purpose = isConsole(authorization.client) ? 'console' : 'consent';
    await this.sessions.logIn(session, user, purpose, proof, { request, response });
    await this.browserLanguages.settle(user, request, response);
  }
}

/** The console is called as the service is. */
export function nameOf(client: Authorization['client'], { words, branding }: PageLook): string {
  return isConsole(client) ? words.console({ product: branding.name }) : client.name;
}

/** What went wrong at a log-in and is for the page to tell, such as a wrong password or too many of them. */
export async function problemOf(
  { response, look }: Step,
  logIn: () => Promise<void>,
): Promise<Problem | undefined> {
  try {
    await logIn();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status >= 500 && error.status !== 503)) throw error;
    // A 401 names a way of HTTP to authenticate, and browsers would ask for the password by themselves.
    const message = refusalWords(look, error);
    if (error.status === 401) return { status: 403, message };
    response.set({ ...error.headers });
    return { status: error.status, message };
  }
}

export function expired({ look }: Pick<Step, 'look'>): Problem {
  return { status: 403, message: look.words.problems.expired };
}

export function rawQueryOf(request: Request): string {
  const { url } = request;
  return url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
}

/** For the steps after the login page: a request that asks for it would come back to it for ever. */
export function queryWithoutPrompt(request: Request): string {
  const query = new URLSearchParams(rawQueryOf(request));
  query.delete('prompt');
  return query.toString();
}
