import type { JwtInterface } from '@jmondi/oauth2-server';

/**
 * Returns the random token text as it is where the library would sign a JWT. An opaque token can be revoked, reveals
 * nothing, and is found by one map look-up.
 */
export class OpaqueTokens implements JwtInterface {
  sign(payload: string | Buffer | Record<string, unknown>): Promise<string> {
    if (typeof payload === 'object' && 'jti' in payload && typeof payload.jti === 'string') {
      return Promise.resolve(payload.jti);
    }
    return Promise.reject(new Error('only access tokens are issued'));
  }

  verify(token: string): Promise<Record<string, unknown>> {
    return Promise.resolve({ jti: token });
  }

  decode(token: string): Record<string, unknown> {
    return { jti: token };
  }
}
