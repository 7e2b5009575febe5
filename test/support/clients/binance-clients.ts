/** Clients of Binance as they are on npm, set to a service of ours. */
import { createHmac } from 'node:crypto';
import { ensureTools } from '../../../scripts/support/tools.js';
import type { Binance, Spot } from '../../tools/clients/index.js';
import type { Json } from '../caller.js';
import { answered } from './accounts-client.js';
import type { UserCaller } from './users-client.js';

await ensureTools('test/tools/clients');
const clients = await import('../../tools/clients/index.js');

/** What a client signs with. */
export interface ClientKey {
  readonly apiKey: string;
  readonly secret: string;
}

/** A new key of a user that signs by HMAC. */
export async function keyOf(
  owner: UserCaller,
  scopes: readonly string[] = ['markets:trade', 'account:read'],
): Promise<ClientKey & { readonly id: string }> {
  const made = await answered(
    owner.post('/auth/api-keys', { name: 'bot', scopes, signing: 'hmac-sha256' }),
    201,
  );
  return { apiKey: made.api_key, secret: made.secret, id: made.api_key_id };
}

/** A request as a client without a library sends it. */
export async function signedRequest(
  url: string,
  method: string,
  path: string,
  parameters: Readonly<Record<string, string>>,
  { apiKey, secret }: ClientKey,
): Promise<{ status: number; headers: Headers; body: Json }> {
  const query = new URLSearchParams({ timestamp: String(Date.now()), ...parameters }).toString();
  const signature = createHmac('sha256', secret).update(query).digest('hex');
  const response = await fetch(`${url}/binance/api/v3/${path}?${query}&signature=${signature}`, {
    method,
    headers: { 'X-MBX-APIKEY': apiKey },
  });
  const { status, headers } = response;
  return { status, headers, body: await response.json() };
}

export type CcxtClient = Binance;

/** ccxt, with the streams of ccxt pro. */
export async function ccxtAt(url: string, key?: ClientKey): Promise<CcxtClient> {
  const client = new clients.ccxt.pro.binance({
    ...key,
    // Our limits are tested by themselves; ccxt would wait between requests.
    enableRateLimit: false,
    options: {
      defaultType: 'spot',
      fetchMarkets: { types: ['spot'] },
      fetchCurrencies: false,
      fetchMargins: false,
    },
  });
  const api = `${url}/binance/api/v3`;
  const sockets = url.replace(/^http/, 'ws');
  Object.assign(client.urls.api, { public: api, private: api });
  Object.assign(client.urls.api.ws, {
    spot: `${sockets}/binance/ws`,
    'ws-api': { spot: `${sockets}/binance/ws-api/v3` },
  });
  await client.loadHttpProxyAgent();
  return client;
}

/** Binance's own client for TypeScript. */
export function officialAt(url: string, key?: ClientKey): Spot {
  return new clients.Spot({
    configurationRestAPI: {
      apiKey: key?.apiKey ?? 'none',
      ...(key !== undefined && { apiSecret: key.secret }),
      basePath: `${url}/binance`,
      retries: 0,
    },
    configurationWebsocketStreams: { wsURL: `${url.replace(/^http/, 'ws')}/binance` },
  });
}
