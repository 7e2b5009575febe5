export { BinanceSpotPlugin as default } from './binance-spot.plugin.js';
