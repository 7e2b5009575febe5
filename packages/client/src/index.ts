export { type ClientOptions, TradepostClient } from './client.js';
export {
  apiKey,
  authorizationCode,
  clientCredentials,
  type Credentials,
  refreshToken,
  type RequestToken,
  type Secret,
  type SentSecret,
  sessionToken,
  type Signing,
} from './credentials.js';
export type { ConsolePageContext, MountConsolePage } from './console-page.js';
export {
  type ClientErrorCode,
  type ErrorCode,
  type ErrorDetail,
  type ServiceErrorCode,
  TradepostError,
} from './errors.js';
export type { components, operations, paths } from './generated/openapi.js';
export type { CallArguments, Data, ItemOf, ListPath, PathWith } from './operations.js';
export type {
  AccountEvent,
  AccountSnapshot,
  AccountUpdate,
  FollowAccountOptions,
} from './streams/account.js';
export type { FollowBookOptions, OrderBook } from './streams/book.js';
export type { Level } from './streams/book-levels.js';
export type { FollowMarketOptions, MarketTicker, MarketTrades, Ticker, Trade } from './streams/markets.js';
export { signingKey, type SigningKeyOptions, type UnsignedRequest } from './signatures.js';
export type { OnConnection } from './streams/socket-session.js';
export type { FollowOrdersOptions, OrderUpdate } from './streams/orders.js';
export type {
  FollowRoomOptions,
  PassingEvent,
  RoomEvent,
  RoomStream,
  StoredRoomEvent,
} from './streams/room.js';
export type { CallOptions, RetryOptions } from './transport.js';
