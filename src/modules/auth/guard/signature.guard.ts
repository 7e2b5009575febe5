import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Authenticator } from '../../../kit/security/authenticator.js';
import { signedRequestOf, type SignedRequest } from '../../../kit/security/signed-request.js';

/**
 * Sets `request.user` for a request that is signed by RFC 9421. Its body comes later: `BodyGuard` holds it to the digest
 * that was signed. Throws `signature_invalid` and `signature_replayed` (401).
 */
@Injectable()
export class SignatureGuard implements CanActivate {
  constructor(private readonly authenticator: Authenticator) {}

  /** Whether the key that is named was known before, without a look-up. */
  isKnown(context: ExecutionContext): boolean {
    return this.authenticator.knowsSigner(signedRequestIn(context));
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { credential, principal } = await this.authenticator.authenticateSigned(signedRequestIn(context));
    request.heldCredential = credential;
    request.user = principal;
    return true;
  }
}

/** The credential guard calls this one for signed requests alone. */
function signedRequestIn(context: ExecutionContext): SignedRequest {
  return signedRequestOf(context.switchToHttp().getRequest<Request>())!;
}
