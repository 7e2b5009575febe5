import { describe, expect, it } from 'vitest';
import { matchesFilter } from './news-events.js';
import type { NewsHeadlineDto } from './news-item.dto.js';

const NEWS: NewsHeadlineDto = {
  news_id: 'nws_00000000001',
  headline: 'Bitcoin fees fall',
  summary: 'The network has room to spare, says Zoë.',
  author: null,
  url: null,
  source: 'example.com',
  category: 'network-fees',
  symbols: ['BTC-USD', 'ETH-USD'],
  language: 'en',
  published_at: '2026-11-16T09:00:00.000Z',
  updated_at: '2026-11-16T09:00:00.000Z',
};

describe('matchesFilter', () => {
  it.each([
    [{}],
    [{ categories: [], symbols: [], sources: [], q: '' }],
    [{ categories: ['weather', 'network-fees'] }],
    [{ categories: ['Network fees'] }],
    [{ symbols: ['RAIN-LISBON', 'ETH-USD'] }],
    [{ sources: ['example.com'] }],
    [{ q: 'FEES bitcoin' }],
    [{ q: 'zoë room' }],
    [{ categories: ['network-fees'], symbols: ['BTC-USD'], sources: ['example.com'], q: 'fall' }],
  ])('lets through what fits %j', (filter) => {
    expect(matchesFilter(NEWS, filter)).toBe(true);
  });

  it.each([
    [{ categories: ['weather'] }],
    [{ symbols: ['RAIN-LISBON'] }],
    [{ sources: ['example.org'] }],
    [{ q: 'bitcoin rises' }],
    [{ q: 'fee' }],
    [{ symbols: ['BTC-USD'], q: 'rain' }],
  ])('holds back what does not fit %j', (filter) => {
    expect(matchesFilter(NEWS, filter)).toBe(false);
  });

  it('finds nothing without a category in a category', () => {
    expect(matchesFilter({ ...NEWS, category: null }, { categories: ['weather'] })).toBe(false);
  });
});
