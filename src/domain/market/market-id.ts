/** A market's symbol: 1 to 64 of A–Z, 0–9, dot, underscore and hyphen. */
export const MARKET_ID = /^[A-Z0-9][A-Z0-9._-]{0,63}$/;
