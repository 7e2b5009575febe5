/** The refusals of RFC 6749 (4.1.2.1, 4.2.2.1), and those of OpenID Connect (3.1.2.6) that `prompt` may bring. */
export type AuthorizationError =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'login_required'
  | 'consent_required';

/** The part of the address that carries an answer: what a browser never sends to a server, for tokens. */
export type ResponseMode = 'query' | 'fragment';

/** A refusal that the client is told, by way of its redirect address. */
export class RedirectedRefusal extends Error {
  constructor(readonly location: string) {
    super('the authorization request is refused');
    this.name = 'RedirectedRefusal';
  }
}

/** Where the answer to an authorization request goes. Made only for an address that is proven to be the client's. */
export class AuthorizationAnswer {
  constructor(
    readonly redirectUri: string,
    private readonly mode: ResponseMode,
    private readonly state: string | undefined,
    private readonly issuer: string,
  ) {}

  refusal(error: AuthorizationError, description: string): RedirectedRefusal {
    const answer = new URLSearchParams({ error, error_description: description });
    if (this.state !== undefined) answer.set('state', this.state);
    const delimiter = this.mode === 'fragment' ? '#' : this.redirectUri.includes('?') ? '&' : '?';
    return new RedirectedRefusal(this.complete(`${this.redirectUri}${delimiter}${answer.toString()}`));
  }

  /** Adds what every answer has to one that has something already: who gives it (RFC 9207). */
  complete(location: string): string {
    return `${location}&${new URLSearchParams({ iss: this.issuer }).toString()}`;
  }
}
