/** Clients of Binance as they are on npm, set to a service of ours. */
import { Spot } from '@binance/spot';
import ccxt from 'ccxt';

/** What a client signs with. */
export interface ClientKey {
  readonly apiKey: string;
  readonly secret: string;
}

export type CcxtClient = InstanceType<typeof ccxt.pro.binance>;

/** ccxt, with the streams of ccxt pro. */
export async function ccxtAt(url: string, key?: ClientKey): Promise<CcxtClient> {
  const client = new ccxt.pro.binance({
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
  Object.assign(client.urls.api as object, { public: api, private: api });
  Object.assign((client.urls.api as { ws: object }).ws, {
    spot: `${sockets}/binance/ws`,
    'ws-api': { spot: `${sockets}/binance/ws-api/v3` },
  });
  await client.loadHttpProxyAgent();
  return client;
}

/** Binance's own client for TypeScript. */
export function officialAt(url: string, key?: ClientKey): Spot {
  return new Spot({
    configurationRestAPI: {
      apiKey: key?.apiKey ?? 'none',
      ...(key !== undefined && { apiSecret: key.secret }),
      basePath: `${url}/binance`,
      retries: 0,
    },
    configurationWebsocketStreams: { wsURL: `${url.replace(/^http/, 'ws')}/binance` },
  });
}
