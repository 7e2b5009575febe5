import { createHash, randomBytes } from 'node:crypto';
import { type Page, PlainBrowser } from './oauth-browser.js';
import type { TestIdentityProvider } from './identity-provider.js';

const REDIRECTS_MAX = 10;

export interface ConsoleTokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Somebody's browser, which logs in at the console by an identity provider. */
export class IdentityBrowser {
  readonly here: PlainBrowser;
  readonly there: PlainBrowser;
  private readonly codeVerifier = randomBytes(32).toString('base64url');

  constructor(
    readonly serviceUrl: string,
    private readonly provider: TestIdentityProvider,
  ) {
    this.here = new PlainBrowser(serviceUrl);
    this.there = new PlainBrowser(provider.issuer);
  }

  /** The authorization request of the console. */
  authorizeUrl(more: Readonly<Record<string, string>> = {}): string {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'console',
      redirect_uri: `${this.serviceUrl}/console/callback`,
      state: 'state-of-the-console',
      code_challenge: createHash('sha256').update(this.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    });
    return `${this.serviceUrl}/oauth/authorize?${query.toString()}`;
  }

  /** The link of the log-in page. */
  async link(more: Readonly<Record<string, string>> = {}): Promise<string> {
    const page = await this.here.open(this.authorizeUrl(more));
    const href = /href="(begin-[^"]*)"/.exec(page.html)?.[1];
    if (href === undefined) throw new Error(`no way to a provider: ${page.status} ${page.html}`);
    return new URL(href.replaceAll('&amp;', '&'), page.url).href;
  }

  /** Leaves for the provider; its address. */
  async leave(more: Readonly<Record<string, string>> = {}): Promise<string> {
    return (await this.here.open(await this.link(more))).location;
  }

  /** Goes through the provider; the address that it sends the browser back to. */
  async goThrough(address: string): Promise<string> {
    for (let hops = 0; hops < REDIRECTS_MAX; hops++) {
      const page = await this.there.open(address);
      address = new URL(page.location, page.url).href;
      if (address.startsWith(this.serviceUrl)) return address;
    }
    throw new Error(`the provider does not send the browser back: ${address}`);
  }

  /** As far as the service's answer to the callback. */
  async comeBack(more: Readonly<Record<string, string>> = {}): Promise<Page> {
    return this.here.open(await this.goThrough(await this.leave(more)));
  }

  /** The whole way, up to the tokens of the console. */
  async logIn(more: Readonly<Record<string, string>> = {}): Promise<ConsoleTokens> {
    const back = await this.comeBack(more);
    return this.tokensFrom(await this.here.open(new URL(back.location, back.url).href));
  }

  /** Loads the console again, in a browser that is logged in. */
  async reload(): Promise<Page> {
    return this.here.open(this.authorizeUrl({ prompt: 'none' }));
  }

  async tokensFrom(page: Page): Promise<ConsoleTokens> {
    const code = new URL(page.location).searchParams.get('code');
    if (code === null) throw new Error(`no code: ${page.location}`);
    const answer = await this.askTokens({
      grant_type: 'authorization_code',
      code,
      redirect_uri: `${this.serviceUrl}/console/callback`,
      code_verifier: this.codeVerifier,
    });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as ConsoleTokens;
  }

  refresh({ refresh_token: token }: ConsoleTokens, serviceUrl = this.serviceUrl): Promise<Response> {
    return this.askTokens({ grant_type: 'refresh_token', refresh_token: token }, serviceUrl);
  }

  private askTokens(form: Readonly<Record<string, string>>, serviceUrl = this.serviceUrl): Promise<Response> {
    const body = new URLSearchParams({ client_id: 'console', ...form });
    return fetch(`${serviceUrl}/oauth/token`, { method: 'POST', body });
  }
}
