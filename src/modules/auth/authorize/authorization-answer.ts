/** The errors of RFC 6749 (4.1.2.1, 4.2.2.1), and those of OpenID Connect (3.1.2.6) for `prompt`. */
export type AuthorizationError =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'login_required'
  | 'consent_required';

/** The part of the URL that carries an answer; tokens use the fragment, which browsers never send to a server. */
export type ResponseMode = 'query' | 'fragment';

/** A refusal that is sent to the client's redirect address. */
export class RedirectedRefusal extends Error {
  constructor(readonly location: string) {
    super('the authorization request is refused');
    this.name = 'RedirectedRefusal';
  }
}

/**
 * Where to send the answer to an authorization request. Created only for an address that is proven to be the client's.
 */
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

  /** Adds the issuer (RFC 9207) to an answer. */
  complete(location: string): string {
    return `${location}&${new URLSearchParams({ iss: this.issuer }).toString()}`;
  }
}
