/** People at the console, as the service sees them: a browser that logs in for it, and the tokens that it gets. */
import * as openid from 'openid-client';
import type { TestApp } from '../app.js';
import { PlainBrowser } from '../oauth-browser.js';
import { UserCaller } from './users-client.js';

export interface Attempt {
  readonly url: string;
  readonly checks: openid.AuthorizationCodeGrantChecks;
}

export interface Visit {
  readonly browser: PlainBrowser;
  readonly tokens: openid.TokenEndpointResponse;
  readonly caller: UserCaller;
}

export class ConsoleVisits {
  private constructor(
    private readonly app: TestApp,
    readonly config: openid.Configuration,
  ) {}

  static async at(app: TestApp): Promise<ConsoleVisits> {
    const config = await openid.discovery(new URL(app.url), 'console', undefined, openid.None(), {
      algorithm: 'oauth2',
      // A test has no TLS; the library calls it deprecated so that nothing else goes without.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      execute: [openid.allowInsecureRequests],
    });
    return new ConsoleVisits(app, config);
  }

  /** A request for a code. */
  async attempt(more: Record<string, string> = {}): Promise<Attempt> {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const url = openid.buildAuthorizationUrl(this.config, {
      redirect_uri: `${this.app.config.publicUrl}/console/callback`,
      state: expectedState,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...more,
    });
    return { url: url.href, checks: { pkceCodeVerifier, expectedState } };
  }

  /** Logs in with a browser, a new one unless it is given, and exchanges the code. */
  async visit(username: string, browser = new PlainBrowser(this.app.url)): Promise<Visit> {
    const { url, checks } = await this.attempt();
    const answer = await browser.logIn(url, username);
    return this.exchange(browser, answer.location, checks);
  }

  /** Loads the console's page again, in a browser that is still logged in. */
  async reload(browser: PlainBrowser): Promise<Visit> {
    const { url, checks } = await this.attempt({ prompt: 'none' });
    return this.exchange(browser, (await browser.open(url)).location, checks);
  }

  /** Where a browser is sent by a request without pages. */
  async silently(browser: PlainBrowser): Promise<URLSearchParams> {
    const page = await browser.open((await this.attempt({ prompt: 'none' })).url);
    return new URL(page.location).searchParams;
  }

  private async exchange(
    browser: PlainBrowser,
    location: string,
    checks: openid.AuthorizationCodeGrantChecks,
  ): Promise<Visit> {
    const tokens = await openid.authorizationCodeGrant(this.config, new URL(location), checks);
    return { browser, tokens, caller: new UserCaller(this.app.url).withBearer(tokens.access_token) };
  }
}
