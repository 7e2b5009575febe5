import { describe, expect, it } from 'vitest';
import {
  readHouseTokenRequest,
  readStandardTokenRequest,
  readTokenManagementRequest,
} from './token-request.js';

const FORM = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' };

function basic(userinfo: string): string {
  return `Basic ${Buffer.from(userinfo).toString('base64')}`;
}

describe('readHouseTokenRequest', () => {
  it('reads the fields of the interface', () => {
    expect(readHouseTokenRequest({ ...FORM, scope: 'markets:trade account:read' })).toEqual({
      grantType: 'client_credentials',
      clientId: 'demo',
      clientSecret: 'demo-secret',
      scope: 'markets:trade account:read',
    });
  });

  it('counts an empty field as left out', () => {
    expect(readHouseTokenRequest({ ...FORM, scope: '' }).scope).toBeUndefined();
  });

  it.each([
    ['no form at all', undefined, 'invalid_request'],
    ['no grant_type', { ...FORM, grant_type: '' }, 'invalid_request'],
    ['no client_id', { ...FORM, client_id: '' }, 'invalid_request'],
    ['a field twice', { ...FORM, client_id: ['demo', 'demo'] }, 'invalid_request'],
    ['another grant', { ...FORM, grant_type: 'refresh_token' }, 'unsupported_grant_type'],
    ['an unknown field', { ...FORM, audience: 'x' }, 'invalid_request'],
    ['a client_id that no client has', { ...FORM, client_id: 'dém\u0000o' }, 'invalid_client'],
    ['an endless secret', { ...FORM, client_secret: 'x'.repeat(256) }, 'invalid_client'],
    ['two spaces between scopes', { ...FORM, scope: 'markets:trade  account:read' }, 'invalid_scope'],
    ['a quote in a scope', { ...FORM, scope: '"admin"' }, 'invalid_scope'],
  ])('refuses %s', (_what, form, code) => {
    expect(() => readHouseTokenRequest(form)).toThrow(expect.objectContaining({ code }) as Error);
  });
});

describe('readStandardTokenRequest', () => {
  it('takes the client from the form', () => {
    expect(readStandardTokenRequest(FORM, undefined)).toMatchObject({ clientId: 'demo' });
  });

  it('takes the client from Basic, whose halves are form-encoded and whose secret may have a colon', () => {
    expect(readStandardTokenRequest({ grant_type: 'x' }, basic('my+cli%3Aent:se%2Bcr:et'))).toMatchObject({
      clientId: 'my cli:ent',
      clientSecret: 'se+cr:et',
    });
  });

  it('ignores fields that it does not know', () => {
    expect(readStandardTokenRequest({ ...FORM, audience: 'x' }, undefined)).toMatchObject({
      clientId: 'demo',
    });
  });

  it('lets the form repeat the id that Basic names', () => {
    const form = { grant_type: 'client_credentials', client_id: 'demo' };
    expect(readStandardTokenRequest(form, basic('demo:demo-secret'))).toMatchObject({ clientId: 'demo' });
  });

  it.each([
    ['a secret in both places', FORM, basic('demo:demo-secret'), 'invalid_request'],
    ['two ids', { grant_type: 'x', client_id: 'maker' }, basic('demo:x'), 'invalid_request'],
    ['another scheme', FORM, 'Bearer abc', 'invalid_client'],
    ['Basic without a colon', { grant_type: 'x' }, basic('demo'), 'invalid_client'],
    ['Basic that is no base64', { grant_type: 'x' }, 'Basic ???', 'invalid_client'],
    ['a broken escape in Basic', { grant_type: 'x' }, basic('demo:%zz'), 'invalid_client'],
  ])('refuses %s', (_what, form, authorization, code) => {
    expect(() => readStandardTokenRequest(form, authorization)).toThrow(
      expect.objectContaining({ code }) as Error,
    );
  });
});

describe('what is exchanged', () => {
  const CODE = {
    grant_type: 'authorization_code',
    client_id: 'app',
    code: 'tpc_x',
    redirect_uri: 'https://app.example/',
    code_verifier: 'v'.repeat(43),
  };
  const REFRESH = { grant_type: 'refresh_token', client_id: 'app', refresh_token: 'tpr_x' };

  it('is read with its grant alone', () => {
    expect(readStandardTokenRequest(CODE, undefined)).toEqual({
      grantType: 'authorization_code',
      clientId: 'app',
      clientSecret: undefined,
      scope: undefined,
      code: 'tpc_x',
      redirectUri: 'https://app.example/',
      codeVerifier: 'v'.repeat(43),
    });
    expect(readStandardTokenRequest({ ...CODE, ...REFRESH }, undefined)).toEqual({
      grantType: 'refresh_token',
      clientId: 'app',
      clientSecret: undefined,
      scope: undefined,
      refreshToken: 'tpr_x',
    });
  });

  it.each([
    ['no code', { ...CODE, code: '' }],
    ['no redirect_uri', { ...CODE, redirect_uri: '' }],
    ['no verifier', { ...CODE, code_verifier: '' }],
    ['a short verifier', { ...CODE, code_verifier: 'v'.repeat(42) }],
    ['a long verifier', { ...CODE, code_verifier: 'v'.repeat(129) }],
    ['a verifier of other characters', { ...CODE, code_verifier: 'v/'.repeat(30) }],
    ['two codes', { ...CODE, code: ['a', 'b'] }],
    ['no refresh token', { ...REFRESH, refresh_token: '' }],
  ])('is refused with %s', (_what, form) => {
    const invalid = expect.objectContaining({ code: 'invalid_request' }) as Error;
    expect(() => readStandardTokenRequest(form, undefined)).toThrow(invalid);
  });
});

describe('readTokenManagementRequest', () => {
  it('takes the token and its client, whatever the token is said to be', () => {
    const form = { token: 'tpa_x', token_type_hint: 'saml' };
    expect(readTokenManagementRequest(form, basic('app:secret'))).toEqual({
      client: { clientId: 'app', clientSecret: 'secret' },
      token: 'tpa_x',
    });
  });

  it.each([
    ['no token', { client_id: 'app' }, 'invalid_request'],
    ['no client', { token: 'x' }, 'invalid_request'],
    ['two tokens', { client_id: 'app', token: ['x', 'y'] }, 'invalid_request'],
    ['a client that nobody could be', { client_id: 'é', token: 'x' }, 'invalid_client'],
  ])('refuses %s', (_what, form, code) => {
    expect(() => readTokenManagementRequest(form, undefined)).toThrow(
      expect.objectContaining({ code }) as Error,
    );
  });
});
