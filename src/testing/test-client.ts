/** An answer of the service: its status, its headers, and its body as JSON, or as text where it is none. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  // Tests look at answers as a client would.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** Calls routes as one caller, by paths such as `/orders?limit=10`. */
export class TestClient {
  constructor(
    private readonly urlOf: () => string,
    private readonly token: string | null,
  ) {}

  get(path: string): Promise<TestAnswer> {
    return this.call('GET', path);
  }

  post(path: string, json?: unknown): Promise<TestAnswer> {
    return this.call('POST', path, json);
  }

  put(path: string, json?: unknown): Promise<TestAnswer> {
    return this.call('PUT', path, json);
  }

  patch(path: string, json?: unknown): Promise<TestAnswer> {
    return this.call('PATCH', path, json);
  }

  delete(path: string, json?: unknown): Promise<TestAnswer> {
    return this.call('DELETE', path, json);
  }

  /** Any other request, with headers on top, such as `Idempotency-Key`. */
  async call(
    method: string,
    path: string,
    json?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestAnswer> {
    const response = await fetch(this.urlOf() + path, {
      method,
      headers: {
        ...(this.token !== null && { authorization: `Bearer ${this.token}` }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
    const body: unknown = isJson ? JSON.parse(text) : text;
    return { status: response.status, headers: response.headers, body };
  }
}
