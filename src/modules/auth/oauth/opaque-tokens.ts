import type { JwtInterface } from '@jmondi/oauth2-server';

/**
 * What the library would sign as a JWT is handed out as the random text that it already is. An opaque
 * token can be revoked, tells its reader nothing, and is found by one look-up in a map.
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
