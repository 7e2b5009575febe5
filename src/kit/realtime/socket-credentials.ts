import type { IncomingMessage } from 'node:http';
import { requirePlainMessage } from '../http/body/message-shape.js';
import { createReferencePipe } from '../http/validation/compiled-validation.pipe.js';
import type { RateLimits } from '../rate-limit/rate-limits.js';
import type { Authenticator, HeldCredential } from '../security/authenticator.js';
import { authenticationRequired } from '../security/challenges.js';
import { presentedCredentialOf, type PresentedCredential } from '../security/presented-credential.js';
import { type SignedRequest, signedRequestOf } from '../security/signed-request.js';
import { SocketCredentialDto } from './socket-authentication.dto.js';

/** The part of a socket that says who it is. */
interface Presenting {
  readonly request: IncomingMessage;
  readonly handshake: { readonly auth: Record<string, unknown> };
}

/**
 * Reads what the clients of sockets prove themselves with. A signature is verified; all else is only looked at, and
 * still to be checked.
 */
export class SocketCredentials {
  private readonly validation = createReferencePipe();
  /**
   * By the requests whose headers are signed. Such a request opens a connection once, but each namespace on that
   * connection asks for it.
   */
  private readonly verified = new WeakMap<IncomingMessage, Promise<HeldCredential>>();

  constructor(
    private readonly authenticator: Authenticator,
    private readonly limits: RateLimits,
  ) {}

  /** What the handshake says in `auth`, or else in its headers. Throws `authentication_required` (401) for neither. */
  async ofHandshake({ request, handshake }: Presenting): Promise<HeldCredential> {
    const { token, api_key, signature_input, signature } = handshake.auth;
    const said = await this.validated({ token, api_key, signature_input, signature });
    const credential =
      (await this.saidIn(said, request)) ??
      (await this.known(presentedCredentialOf(request.headers), request)) ??
      (await this.signedHeadersOf(request));
    if (credential === undefined) throw authenticationRequired();
    return credential;
  }

  /** What a message says. Throws `authentication_required` (401) for nothing. */
  async ofMessage({ request }: Presenting, message: unknown): Promise<HeldCredential> {
    requirePlainMessage(message);
    const credential = await this.saidIn(await this.validated(message), request);
    if (credential === undefined) throw authenticationRequired();
    return credential;
  }

  private async saidIn(
    { token, api_key, signature_input, signature }: SocketCredentialDto,
    request: IncomingMessage,
  ): Promise<HeldCredential | undefined> {
    if (token != null) return this.known({ scheme: 'bearer', secret: token }, request);
    if (api_key != null) return this.known({ scheme: 'api_key', secret: api_key }, request);
    const carried = { signatureInput: signature_input ?? undefined, signature: signature ?? undefined };
    const signed = signedRequestOf(request, carried);
    return signed && this.verify(signed, request);
  }

  private async known(
    presented: PresentedCredential | undefined,
    request: IncomingMessage,
  ): Promise<HeldCredential | undefined> {
    if (presented === undefined) return undefined;
    const credential = this.authenticator.hold(presented);
    await this.requireGuess(request, () => this.authenticator.knows(credential));
    return credential;
  }

  private signedHeadersOf(request: IncomingMessage): Promise<HeldCredential> | undefined {
    const signed = signedRequestOf(request);
    if (signed === undefined) return undefined;
    const verified = this.verified.get(request) ?? this.verify(signed, request);
    this.verified.set(request, verified);
    return verified;
  }

  private async verify(signed: SignedRequest, request: IncomingMessage): Promise<HeldCredential> {
    await this.requireGuess(request, () => this.authenticator.knowsSigner(signed));
    return (await this.authenticator.authenticateSigned(signed)).credential;
  }

  /** Guesses come out of the budget that the address has for refusals over HTTP; what is known is no guess. */
  private async requireGuess(request: IncomingMessage, isKnown: () => boolean): Promise<void> {
    if (!this.limits.isSpentBySomebody('refusals') || isKnown()) return;
    await this.limits.requireBudget('refusals', this.limits.addressBucketOf(request));
  }

  private async validated(message: unknown): Promise<SocketCredentialDto> {
    return (await this.validation.transform(message ?? {}, {
      type: 'body',
      metatype: SocketCredentialDto,
    })) as SocketCredentialDto;
  }
}
