export { Spot } from '@binance/spot';
export { default as ccxt } from 'ccxt';
export { AsciiSession, AsciiSessionMsgFactory, EmptyLogFactory, MsgType, SessionLauncher } from 'jspurefix';
