import type { components } from '@tradepost/client';

export type Market = components['schemas']['MarketDto'];
