/** A headless browser: keeps cookies by their scope, fills in forms, and follows no redirect by itself. */
export class PlainBrowser {
  /** The cookies of the one host that it visits, by name. */
  readonly cookies = new Map<string, { readonly value: string; readonly path: string }>();

  constructor(private readonly origin: string) {}

  async open(address: string, init: RequestInit = {}): Promise<Page> {
    const url = new URL(address, this.origin);
    const sent = [...this.cookies]
      .filter(([, { path }]) => url.pathname === path || url.pathname.startsWith(path.replace(/\/?$/, '/')))
      .map(([name, { value }]) => `${name}=${value}`);
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { ...(sent.length > 0 && { cookie: sent.join('; ') }), ...(init.headers as object) },
    });
    for (const line of response.headers.getSetCookie()) this.keep(line);
    return new Page(url, response, await response.text());
  }

  /** Submits a page's form, with its hidden fields unless `fields` override them. */
  submit(
    page: Page,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Page> {
    return this.open(new URL(page.formAction, page.url).href, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ csrf_token: page.csrfToken, ...fields }),
    });
  }

  /** Goes through the login page, unless logged in, to the consent page. */
  async logIn(authorizeUrl: string, username: string, password = `${username}-password`): Promise<Page> {
    const login = await this.open(authorizeUrl);
    const answer = await this.submit(login, { username, password });
    return this.open(new URL(answer.location, answer.url).href);
  }

  /** The whole flow: logs in, consents, and returns the address at the client. */
  async authorize(authorizeUrl: string, username: string): Promise<URL> {
    const consent = await this.logIn(authorizeUrl, username);
    return new URL((await this.submit(consent, { decision: 'allow' })).location);
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split('=', 2);
    const path = attributes.find((attribute) => attribute.startsWith('Path='))?.slice('Path='.length) ?? '/';
    this.cookies.set(name, { value, path });
  }
}

export class Page {
  constructor(
    readonly url: URL,
    readonly response: Response,
    readonly html: string,
  ) {}

  get status(): number {
    return this.response.status;
  }

  get location(): string {
    const location = this.response.headers.get('location');
    if (location === null) throw new Error(`${this.status} without a Location: ${this.html}`);
    return location;
  }

  get title(): string {
    return /<title>(.*)<\/title>/.exec(this.html)?.[1] ?? '';
  }

  /** The message of a failure. */
  get alert(): string {
    return /role="alert"[^>]*>([^<]*)</.exec(this.html)?.[1] ?? '';
  }

  get formAction(): string {
    return decode(/<form method="post" action="([^"]*)"/.exec(this.html)?.[1] ?? '');
  }

  get csrfToken(): string {
    return decode(/name="csrf_token" value="([^"]*)"/.exec(this.html)?.[1] ?? '');
  }
}

function decode(attribute: string): string {
  return attribute.replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
