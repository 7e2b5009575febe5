/** The part of these packages that the tests use: they are checked where they are not installed, too. */
import type { Json } from '../../support/caller.js';

type Call<Result = Json> = (...args: readonly Json[]) => Promise<Result>;

/** Of ccxt pro. */
export interface Binance {
  readonly urls: { readonly api: Json };
  readonly clients: object;
  readonly orderbooks: Readonly<Record<string, Json>>;
  handleOrderBookMessage(...args: readonly Json[]): Json;
  priceToPrecision(symbol: string, price: number): string;
  readonly loadHttpProxyAgent: Call;
  readonly close: Call;
  readonly loadMarkets: Call;
  readonly fetchTime: Call<number>;
  readonly fetchOrderBook: Call;
  readonly fetchTrades: Call<Json[]>;
  readonly fetchOHLCV: Call<Json[]>;
  readonly fetchTicker: Call;
  readonly fetchTickers: Call<Record<string, Json>>;
  readonly fetchLastPrices: Call<Record<string, Json>>;
  readonly fetchBidsAsks: Call<Record<string, Json>>;
  readonly fetchBalance: Call;
  readonly createOrder: Call;
  readonly cancelOrder: Call;
  readonly cancelAllOrders: Call;
  readonly fetchOrder: Call;
  readonly fetchOrders: Call<Json[]>;
  readonly fetchOpenOrders: Call<Json[]>;
  readonly fetchClosedOrders: Call<Json[]>;
  readonly fetchMyTrades: Call<Json[]>;
  readonly fetchOrderTrades: Call<Json[]>;
  readonly watchTrades: Call<Json[]>;
  readonly watchOHLCV: Call<Json[]>;
  readonly watchTicker: Call;
  readonly watchOrderBook: Call;
  readonly watchOrders: Call<Json[]>;
  readonly watchBalance: Call;
}

export const ccxt: { readonly pro: { readonly binance: new (options: object) => Binance } };

type RestOperation =
  | 'depth'
  | 'exchangeInfo'
  | 'getAccount'
  | 'historicalTrades'
  | 'klines'
  | 'ticker24hr'
  | 'time';

export class Spot {
  constructor(options: object);
  readonly restAPI: Readonly<Record<RestOperation, Call<{ data(): Promise<Json> }>>>;
}

export interface ISessionDescription {
  readonly SenderCompId: string;
}

export interface MsgView {
  toObject(): object;
}

export interface ISessionMsgFactory {
  header(msgType: string, sequence: number, time: Date, ...rest: Json[]): Record<string, unknown>;
}

export class AsciiSessionMsgFactory implements ISessionMsgFactory {
  constructor(description: ISessionDescription);
  protected readonly description: ISessionDescription;
  logon(): Record<string, unknown>;
  header(msgType: string, sequence: number, time: Date, ...rest: Json[]): Record<string, unknown>;
}

export type IJsFixConfig = object;

export abstract class AsciiSession {
  constructor(config: IJsFixConfig);
  send(msgType: string, message: object): void;
  done(): void;
  protected abstract onReady(): void;
  protected abstract onStopped(): void;
  protected abstract onLogon(): boolean;
  protected abstract onApplicationMsg(msgType: string, view: MsgView): void;
  protected abstract onDecoded(): void;
  protected abstract onEncoded(): void;
}

export interface EngineFactory {
  makeSession(config: IJsFixConfig): AsciiSession;
}

export class EmptyLogFactory {}

export abstract class SessionLauncher {
  constructor(initiator: ISessionDescription, acceptor: null, logs: EmptyLogFactory);
  run(): Promise<unknown>;
  protected makeSessionMsgFactory(description: ISessionDescription): ISessionMsgFactory;
  protected abstract makeFactory(): EngineFactory;
}

export const MsgType: Readonly<
  Record<'MarketDataRequest' | 'NewOrderSingle' | 'OrderCancelReplaceRequest' | 'OrderCancelRequest', string>
>;
