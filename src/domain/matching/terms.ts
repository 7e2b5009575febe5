/** The terms of an order on which matching depends. */
export type Side = 'buy' | 'sell';

/** What happens when an order meets one of its own account. */
export type SelfTradePrevention = 'cancel_newest' | 'cancel_oldest' | 'cancel_both' | 'decrement';
